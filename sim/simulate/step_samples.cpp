#include "sim/simulate/step_samples.h"

namespace quintet {

void take_samples(const Model& model, const DealtSamples& dealt, AttentionCount attention,
                  RecomputedPart recomputed, StepNumbers& numbers) {
  SampleWork all;
  for (const std::vector<SampleWork>& rank : dealt.of_rank)
    for (const SampleWork& work : rank) all = sum(all, work);
  numbers.tokens = all.tokens;
  numbers.model_flops = model_flops(model, all, attention);
  numbers.hardware_flops = hardware_flops(model, all, attention, recomputed);
}

std::optional<LoadBalanceFigures> load_balance_of(const Model& model, const Plan& plan,
                                                  const Topology& topology) {
  const Samples& samples = plan.parallelism.samples;
  if (!samples.vary()) return std::nullopt;
  constexpr int steps = 64;  // leave the mean of the slowest of many ranks within half a percent
  const int ranks_per_host = static_cast<int>(topology.hosts.front().gpus.size());
  return load_balance_figures(samples.histogram, sample_recipe(plan.parallelism, ranks_per_host),
                              keys_per_token(model), steps);
}

}  // namespace quintet
