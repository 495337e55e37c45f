#include "sim/command/plans/plan_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/command/plans/communication_uses.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/plan/asked_plan.h"

namespace quintet {
namespace {

using Names = std::vector<std::string>;

std::string amount(Bytes size) {
  constexpr std::array units{std::pair{1e12, "TB"}, std::pair{1e9, "GB"}, std::pair{1e6, "MB"},
                             std::pair{1e3, "KB"}};
  for (const auto& [scale, name] : units)
    if (size.value >= scale) return fmt::format("{:.2f} {}", size.value / scale, name);
  return fmt::format("{:.0f} B", size.value);
}

std::string under_text(const Names& under) {
  constexpr std::size_t most = 2;
  if (under.empty()) return "nothing: kernels wait";
  std::string text;
  for (std::size_t i = 0; i < std::min(most, under.size()); ++i)
    text += (i > 0 ? ", " : "") + under[i];
  return under.size() > most ? text + ", ..." : text;
}

// What replicas send each other: all gradients, or what a replicator chooses of them.
std::string exchange_text(const Parallelism& parallelism) {
  const Replicator& replicator = parallelism.replicator;
  if (is_plain(replicator)) return "sum their gradients in every step";
  if (replicator.kind == ReplicatorKind::none) return "exchange nothing";
  return fmt::format(
      "exchange what the {} replicator chooses{}", name_of(replicator.kind),
      replicator.every > 1 ? fmt::format(", in the last of every {} steps", replicator.every) : "");
}

std::string data_sentence(const Parallelism& parallelism) {
  const int ranks = parallelism.data;
  const char* const what = parallelism.samples.vary() ? "samples" : "sequences";
  const int group = std::max(1, shard_ranks(parallelism));
  const std::string shared(name_of(parallelism.sharding));
  if (group == 1 || parallelism.sharding == Sharding::none)
    return fmt::format("data {}: {} replicas take different {} and {}.\n", ranks, ranks, what,
                       exchange_text(parallelism));
  if (group >= ranks)
    return fmt::format("data {}: {} ranks take different {} and share out their {}.\n", ranks,
                       ranks, what, shared);
  return fmt::format(
      "data {}: {} ranks take different {}; groups of {} share out their {}, and the {} groups "
      "{}.\n",
      ranks, ranks, what, group, shared, ranks / group, exchange_text(parallelism));
}

std::string axis_sentence(Axis axis, const Plan& plan) {
  const Parallelism& parallelism = plan.parallelism;
  const int ranks = degree(parallelism, axis);
  if (ranks == 1) return "";
  switch (axis) {
    case Axis::tensor:
      return fmt::format(
          "tensor {}: each layer's matrices are split over {} ranks{}.\n", ranks, ranks,
          parallelism.sequence_parallel ? ", norms and dropout along the sequence" : "");
    case Axis::context:
      return fmt::format("context {}: each sequence is split over {} ranks.\n", ranks, ranks);
    case Axis::expert:
      return fmt::format("expert {}: experts are spread over {} ranks.\n", ranks, ranks);
    case Axis::data:
      return data_sentence(parallelism);
    case Axis::pipeline:
      return fmt::format(
          "pipeline {}: {} stages of {} take different layers, in the order of {}.\n", ranks, ranks,
          parallelism.virtual_stages > 1 ? fmt::format("{} pieces", parallelism.virtual_stages)
                                         : "one piece",
          name_of(parallelism.schedule));
  }
  return "";
}

// What of a rank's memory is the host's.
std::string offload_text(const Offload& offload) {
  std::string text;
  if (offload.optimizer > 0)
    text += fmt::format(
        "{:.3g} % of moments and master weights lie in the host's memory and are updated on the "
        "GPU "
        "in pieces of {}.\n",
        100 * offload.optimizer, quintet::text(offload.piece));
  if (offload.activations) text += "Layers' inputs wait for backward in the host's memory.\n";
  return text;
}

std::string counted(std::int64_t number, const std::string& noun, const char* more = "s") {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : more);
}

std::int64_t dealt_tokens(const DealtSamples& dealt) {
  std::int64_t tokens = 0;
  for (const std::vector<SampleWork>& rank : dealt.of_rank)
    for (const SampleWork& work : rank) tokens += work.tokens;
  return tokens;
}

// What is drawn, and what of it ranks give each other before the step.
std::string samples_text(const Parallelism& parallelism, const Topology& topology) {
  const int ranks_per_host = static_cast<int>(topology.hosts.front().gpus.size());
  const int together = presort_ranks(parallelism, ranks_per_host);
  std::string text =
      fmt::format("Their lengths are by {}, drawn {}, without padding; ",
                  in_quotes(parallelism.samples.lengths), name_of(parallelism.samples.draw));
  if (together <= 1) return text + "each rank keeps what it drew.\n";
  return text + fmt::format(
                    "before the step {} ranks at a time deal theirs anew by length ({}), each "
                    "gets as much work as the others.\n",
                    together, name_of(parallelism.load_balance));
}

std::string batch_text(const Model& model, const Plan& plan, const Topology& topology,
                       const Program& program) {
  const Parallelism& parallelism = plan.parallelism;
  const bool vary = !program.dealt.empty();
  const double tokens = vary ? static_cast<double>(dealt_tokens(program.dealt))
                             : 1.0 * global_batch(parallelism) * parallelism.sequence_length;
  return fmt::format(
             "A step is {} of {}{} tokens ({:.3g} million tokens{}): each replica does {} of {} "
             "through {}.\n",
             counted(global_batch(parallelism), vary ? "sample" : "sequence"), vary ? "up to " : "",
             parallelism.sequence_length, tokens / 1e6, vary ? " in this draw" : "",
             counted(parallelism.micro_batches, "micro-batch", "es"), parallelism.micro_batch,
             counted(model.layers, "layer")) +
         (vary ? samples_text(parallelism, topology) : "");
}

std::string work_text(const Model& model, const Plan& plan, const Topology& topology,
                      const Program& program) {
  const Parallelism& parallelism = plan.parallelism;
  std::string text = fmt::format("{} on {} of {}: {}.\n", counted(world_size(parallelism), "rank"),
                                 counted(static_cast<std::int64_t>(topology.hosts.size()), "host"),
                                 topology.name, layout_name(parallelism));
  for (const Axis axis : parallelism.order) text += axis_sentence(axis, plan);
  text += batch_text(model, plan, topology, program);
  const bool has_copy =
      parallelism.master_weights && tensor_type(parallelism.compute_type) != DataType::fp32;
  text += fmt::format(
      "Kernels compute in {}, gradients are summed in {}, {} updates{}; backward "
      "computes {} again.\n",
      name_of(parallelism.compute_type), name_of(parallelism.gradient_type),
      name_of(parallelism.optimizer), has_copy ? " an fp32 copy of the weights" : " the weights",
      parallelism.recompute == Recompute::none        ? "nothing"
      : parallelism.recompute == Recompute::selective ? "the attention core"
                                                      : "whole layers");
  if (parallelism.moment_type != DataType::fp32)
    text += fmt::format("Moments are kept in {}.\n", name_of(parallelism.moment_type));
  if (parallelism.compute_type == DataType::fp8)
    text += fmt::format("Only products with layers' weights are in fp8, by {} scaling.\n",
                        name_of(parallelism.float8.scaling));
  return text + offload_text(parallelism.offload);
}

}  // namespace

std::string explanation_text(const Model& model, const Plan& plan, const Topology& topology,
                             const Program& program) {
  std::string text = work_text(model, plan, topology, program);
  const std::vector<CommunicationUse> uses = communication_uses(program, plan, topology);
  if (uses.empty()) return text + "Nothing is communicated.\n";
  std::vector<TextRow> table{
      {"axis", "what", "of", "where", "ranks", "times", "each", "sent", "under"}};
  for (const CommunicationUse& use : uses)
    table.push_back({use.axis, use.what, use.purpose,
                     use.hosts > 1 ? fmt::format("{} hosts", use.hosts) : "one host",
                     fmt::to_string(use.ranks), fmt::to_string(use.uses),
                     amount(use.buffer / std::max(1, use.uses)), amount(use.sent),
                     under_text(use.under)});
  return text +
         "\nWhat a rank sends in a step, of the stage that sends most (buffers as nccl-tests "
         "count them; sent: the least for that)\n" +
         aligned(table);
}

}  // namespace quintet
