#include "sim/search/drafting.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "sim/plan/problems/problem_finders.h"
#include "sim/search/search_fields.h"

namespace quintet {
namespace {

bool fill_machine(Draft& draft) {
  Parallelism& parallelism = draft.plan.parallelism;
  const std::int64_t ranks = draft.machine.ranks;
  if (draft.data_given) return rank_count(parallelism) == ranks;
  parallelism.data = 1;
  const std::int64_t others = rank_count(parallelism);
  if (others < 1 || ranks % others != 0) return false;
  parallelism.data = static_cast<int>(ranks / others);
  return true;
}

bool deal_batch(Draft& draft) {
  Parallelism& parallelism = draft.plan.parallelism;
  if (draft.global_batch == 0) return true;
  const std::int64_t round = std::int64_t{parallelism.micro_batch} * parallelism.data;
  if (round < 1 || draft.global_batch % round != 0) return false;
  parallelism.micro_batches = static_cast<int>(draft.global_batch / round);
  return true;
}

// Two orders are one where axes of more than one rank stand alike in them.
bool same_ranks(const Parallelism& parallelism, const std::vector<Axis>& one,
                const std::vector<Axis>& other) {
  const auto longer = [&](const std::vector<Axis>& order) {
    std::vector<Axis> axes;
    std::copy_if(order.begin(), order.end(), std::back_inserter(axes),
                 [&](Axis axis) { return degree(parallelism, axis) > 1; });
    return axes;
  };
  return longer(one) == longer(other);
}

bool has_earlier_order(const Dimension& dimension, std::uint32_t digit,
                       const Parallelism& parallelism) {
  for (std::uint32_t i = 0; i < digit; ++i)
    if (same_ranks(parallelism, dimension.choices[i].sample.parallelism.order,
                   dimension.choices[digit].sample.parallelism.order))
      return true;
  return false;
}

bool settle_without_effect(const Dimension& dimension, std::uint32_t digit, Draft& draft) {
  if (dimension.choices.size() == 1) return true;
  if (dimension.field->path == "parallelism.order")
    return !has_earlier_order(dimension, digit, draft.plan.parallelism);
  if (dimension.field->matters == nullptr || dimension.field->matters(draft)) return true;
  if (digit != 0) return false;
  if (dimension.field->neutral != nullptr) dimension.field->neutral(draft);
  return true;
}

void deal_layers(const Model& model, Draft& draft) {
  Parallelism& parallelism = draft.plan.parallelism;
  if (parallelism.stage_layers.empty())
    parallelism.stage_layers =
        dealt_layers(model.layers, parallelism.pipeline * parallelism.virtual_stages);
}

bool is_layer1(const PartSpace& part) {
  return !part.dimensions.empty() && part.dimensions[0]->field->part == SearchPart::parallelism;
}

}  // namespace

std::vector<int> dealt_layers(int layers, int pieces) {
  if (pieces < 1 || layers < pieces || layers % pieces == 0) return {};
  std::vector<int> dealt(static_cast<std::size_t>(pieces), layers / pieces + 1);
  int fewer = pieces - layers % pieces;
  std::size_t first = 0, last = dealt.size() - 1;
  for (bool at_end = true; fewer > 0; --fewer, at_end = !at_end) --dealt[at_end ? last-- : first++];
  return dealt;
}

bool draft_part(const PartSpace& part, const ChoiceNumbers& digits, const Model& model,
                Draft& draft) {
  for (std::size_t i = 0; i < digits.size(); ++i)
    part.dimensions[i]->field->take(draft, part.dimensions[i]->choices[digits[i]].sample);
  const bool layer1 = is_layer1(part);
  if (layer1 && !(fill_machine(draft) && deal_batch(draft))) return false;
  for (std::size_t i = 0; i < digits.size(); ++i)
    if (!settle_without_effect(*part.dimensions[i], digits[i], draft)) return false;
  if (layer1) deal_layers(model, draft);
  return true;
}

bool layer1_can_be(const Draft& draft, const Model& model, const Topology& topology) {
  const Parallelism& parallelism = draft.plan.parallelism;
  Problems found;
  find_impossible_counts(parallelism, found);
  if (!found.empty() || parallelism.context > 1 || parallelism.expert > 1) return false;
  std::vector<Axis> axes = parallelism.order, all = Parallelism{}.order;
  std::sort(axes.begin(), axes.end());
  std::sort(all.begin(), all.end());
  if (axes != all) return false;
  find_split_problems(parallelism, model, found);
  if (found.empty()) find_schedule_problems(parallelism, model, found);
  if (found.empty()) find_sharding_problems(parallelism, found);
  if (found.empty()) find_replicator_problems(parallelism, found);
  if (found.empty()) find_copy_problems(parallelism, model, found);
  if (found.empty()) find_type_problems(parallelism.compute_type, topology, found);
  if (found.empty()) find_sample_problems(draft.plan, model, topology, found);
  if (found.empty()) find_offload_problems(parallelism, found);
  if (found.empty()) find_run_problems(draft.plan.run, found);
  return found.empty();
}

bool ccl_can_be(const Draft& draft, const Model& model, const Topology& topology) {
  Problems found;
  find_ccl_problems(draft.plan.ccl, topology, found);
  find_size_problems(draft.plan.parallelism, draft.plan.ccl, model, found);
  find_numeric_problems(draft.plan.parallelism, draft.plan.ccl, found);
  return found.empty();
}

bool intra_inter_can_be(const Draft& draft) {
  Problems found;
  find_intra_inter_problems(draft.plan.intra_inter, draft.plan.parallelism, found);
  return found.empty();
}

bool fabric_can_be(const Draft& draft, const Topology& topology) {
  Problems found;
  find_host_net_problems(draft.plan.host_net, draft.plan.parallelism, found);
  find_network_problems(draft.plan.network, topology, found);
  return found.empty();
}

}  // namespace quintet
