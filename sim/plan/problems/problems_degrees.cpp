#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {
namespace {

struct Count {
  const char* field;
  int value;
};

void find_order_problem(const Parallelism& parallelism, Problems& found) {
  std::vector<Axis> sorted = parallelism.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Axis> all = Parallelism{}.order;
  std::sort(all.begin(), all.end());
  if (sorted == all) return;
  found.push_back({"parallelism.order", "does not name each of the five axes once",
                   "list tensor, context, expert, data and pipeline, innermost first"});
}

// What data parallelism would fill the machine, if any does.
std::string filling_remedy(const Parallelism& parallelism, std::int64_t slots) {
  const std::int64_t others = rank_count(parallelism) / parallelism.data;
  if (others <= slots && slots % others == 0)
    return fmt::format("set parallelism.data to {}, or describe a machine of {}", slots / others,
                       rank_count(parallelism));
  return fmt::format("choose degrees whose product is {}, or describe a machine of {}", slots,
                     rank_count(parallelism));
}

struct Split {
  const char* what;
  int number;
};

// What tensor parallelism cuts into equal parts (Megatron-LM, arXiv 1909.08053 section 3). The
// vocabulary is padded instead (sim/model/parameters.h).
void find_tensor_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  const std::vector<Split> splits{
      {"attention heads", model.heads},
      {"key/value heads", model.kv_heads},
      {"columns of the MLP", model.feed_forward},
  };
  const int all = std::gcd(std::gcd(model.heads, model.kv_heads), model.feed_forward);
  for (const Split& split : splits) {
    if (split.number % parallelism.tensor == 0) continue;
    found.push_back({"parallelism.tensor",
                     fmt::format("{} {} cannot be split over {} ranks", split.number, split.what,
                                 parallelism.tensor),
                     use_one_of(divisors(all)) + ", which divide all that is split"});
  }
}

void find_sequence_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  if (parallelism.sequence_parallel && parallelism.tensor == 1)
    found.push_back({"parallelism.sequence_parallel", "needs tensor parallelism to split along",
                     "set it to false, or parallelism.tensor above 1"});
  if (parallelism.sequence_parallel && parallelism.sequence_length % parallelism.tensor != 0)
    found.push_back(
        {"parallelism.sequence_length",
         fmt::format("{} tokens cannot be split over {} ranks for sequence parallelism",
                     parallelism.sequence_length, parallelism.tensor),
         fmt::format("use a multiple of {}, or set parallelism.sequence_parallel to false",
                     parallelism.tensor)});
  if (model.positions == PositionKind::learned && parallelism.sequence_length > model.max_positions)
    found.push_back({"parallelism.sequence_length",
                     fmt::format("{} is longer than the model's table of {} positions",
                                 parallelism.sequence_length, model.max_positions),
                     fmt::format("use {} or less", model.max_positions)});
}

void find_group_problems(const Parallelism& parallelism, Problems& found) {
  const int group = parallelism.sharding_group;
  if (group == 0) return;
  if (parallelism.sharding == Sharding::none)
    found.push_back({"parallelism.sharding_group", "nothing is sharded",
                     "use 0, or choose what parallelism.sharding shares out"});
  if (group < 0 || parallelism.data % group != 0)
    found.push_back({"parallelism.sharding_group",
                     fmt::format("groups of {} cannot be made of {} data-parallel ranks", group,
                                 parallelism.data),
                     use_one_of(divisors(parallelism.data)) + ", or 0 for all"});
}

}  // namespace

void find_impossible_counts(const Parallelism& parallelism, Problems& found) {
  const std::vector<Count> counts{
      {"parallelism.tensor", parallelism.tensor},
      {"parallelism.context", parallelism.context},
      {"parallelism.expert", parallelism.expert},
      {"parallelism.data", parallelism.data},
      {"parallelism.pipeline", parallelism.pipeline},
      {"parallelism.virtual_stages", parallelism.virtual_stages},
      {"parallelism.sequence_length", parallelism.sequence_length},
      {"parallelism.micro_batch", parallelism.micro_batch},
      {"parallelism.micro_batches", parallelism.micro_batches},
  };
  for (const Count& count : counts)
    if (count.value < 1)
      found.push_back({count.field, fmt::format("is {}", count.value), "use 1 or more"});
}

void find_degree_problems(const Parallelism& parallelism, const Topology& topology,
                          Problems& found) {
  find_order_problem(parallelism, found);
  const auto slots = static_cast<std::int64_t>(rank_slots(topology).size());
  const std::int64_t ranks = rank_count(parallelism);
  if (ranks != slots)
    found.push_back({"parallelism",
                     fmt::format("the degrees multiply to {} ranks, but the machine has {} places",
                                 ranks, slots),
                     filling_remedy(parallelism, slots)});
  if (parallelism.context > 1)
    found.push_back({"parallelism.context", "context parallelism is not modelled yet", "use 1"});
  if (parallelism.expert > 1)
    found.push_back({"parallelism.expert", "expert parallelism is not modelled yet", "use 1"});
}

void find_split_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  find_tensor_problems(parallelism, model, found);
  find_sequence_problems(parallelism, model, found);
}

void find_sharding_problems(const Parallelism& parallelism, Problems& found) {
  if (parallelism.sharding != Sharding::none && parallelism.data == 1)
    found.push_back({"parallelism.sharding",
                     "there is one data-parallel rank: nobody to share with",
                     "use none, or parallelism.data above 1"});
  find_group_problems(parallelism, found);
}

}  // namespace quintet
