#include "engine/executor/less_memory.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace quintet::engine {

namespace {

using Change = std::optional<std::string>;

Change smaller_batch(const Parallelism& parallelism) {
  if (parallelism.micro_batch == 1) return std::nullopt;
  return fmt::format("parallelism.micro_batch below {}", parallelism.micro_batch);
}

// Under 1f1b no stage keeps more forwards than the pipeline is long.
Change other_schedule(const Parallelism& parallelism) {
  if (parallelism.pipeline == 1 || parallelism.schedule == PipelineSchedule::one_f_one_b)
    return std::nullopt;
  return fmt::format("parallelism.schedule {} (now {})", name_of(PipelineSchedule::one_f_one_b),
                     name_of(parallelism.schedule));
}

Change more_recomputed(const Parallelism& parallelism) {
  const std::string_view now = name_of(parallelism.recompute);
  switch (parallelism.recompute) {
    case Recompute::none:
      return fmt::format("parallelism.recompute selective or full (now {})", now);
    case Recompute::selective:
      return fmt::format("parallelism.recompute full (now {})", now);
    case Recompute::full:
      break;
  }
  if (parallelism.recompute_layers == 0) return std::nullopt;
  return fmt::format("parallelism.recompute_layers 0, which is all (now {})",
                     parallelism.recompute_layers);
}

Change more_sharded(const Parallelism& parallelism) {
  if (parallelism.data == 1 || parallelism.sharding == Sharding::parameters) return std::nullopt;
  return fmt::format("parallelism.sharding {} (now {})", name_of(Sharding::parameters),
                     name_of(parallelism.sharding));
}

// Inputs of layers are copied while the layers compute: that costs little.
Change inputs_on_host(const Parallelism& parallelism) {
  const bool only_inputs =
      parallelism.recompute == Recompute::full && parallelism.recompute_layers == 0;
  if (!only_inputs || parallelism.offload.activations) return std::nullopt;
  return "parallelism.offload.activations true (now false)";
}

Change state_on_host(const Parallelism& parallelism) {
  const double share = parallelism.offload.optimizer;
  if (parallelism.optimizer == Optimizer::lamb || share >= 1) return std::nullopt;
  return fmt::format("parallelism.offload.optimizer 1 (now {})", share);
}

}  // namespace

std::string less_memory(const Parallelism& parallelism) {
  std::string text;
  for (const auto& change : {smaller_batch, other_schedule, more_recomputed, more_sharded,
                             inputs_on_host, state_on_host})
    if (const Change found = change(parallelism)) text += *found + ", ";
  return text + fmt::format("{}more ranks along parallelism.tensor or pipeline (now {} and {})",
                            text.empty() ? "" : "or ", parallelism.tensor, parallelism.pipeline);
}

std::string less_on_cores(const Parallelism& parallelism) {
  std::string text;
  for (const auto& change : {smaller_batch, other_schedule, more_recomputed, more_sharded})
    if (const Change found = change(parallelism)) text += *found + ", ";
  return text + (text.empty() ? "" : "or ") + "ranks on more machines (--hosts FILE)";
}

std::string less_on_host(const Parallelism& parallelism) {
  const Offload& offload = parallelism.offload;
  std::string text;
  if (offload.optimizer > 0)
    text = fmt::format("parallelism.offload.optimizer below {}, ", offload.optimizer);
  if (offload.activations) text += "parallelism.offload.activations false, ";
  return text + "or fewer ranks on the host";
}

}  // namespace quintet::engine
