#include "sim/simulate/step_numbers.h"

#include <cmath>
#include <string>
#include <vector>

#include "sim/intra_inter/placement.h"
#include "sim/model/step_flops.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/simulate/step_samples.h"

namespace quintet {

namespace {

std::string convention_text(AttentionCount count) {
  return count == AttentionCount::causal_half
             ? "Megatron-LM's count: causal attention half, logits included; dense peak"
             : "attention counted in full, logits included; dense peak";
}

// Several kinds of GPUs have the mean over the ranks, so that sums over them are right.
void take_means(const Plan& plan, const Topology& topology, StepNumbers& numbers) {
  const std::vector<DeviceId> slots =
      slots_of_ranks(topology, plan.intra_inter.placement, numbers.gpus);
  numbers.peak = {};
  numbers.gpu_power = numbers.gpu_idle_power = {};
  numbers.price = {};
  const double share = 1.0 / static_cast<double>(slots.size());
  for (const DeviceId slot : slots) {
    const int spec = topology.gpu_spec_of_host[topology.device(slot).host.index()];
    if (spec < 0) continue;
    const GpuSpec& gpu = topology.gpu_specs[static_cast<std::size_t>(spec)];
    numbers.peak += share * peak_rate(gpu, plan.parallelism.compute_type).value_or(FlopRate{});
    numbers.gpu_power += share * gpu.power;
    numbers.gpu_idle_power += share * gpu.idle_power;
    numbers.price += share * gpu.price;
  }
}

}  // namespace

StepNumbers step_numbers(const Model& model, const Plan& plan, const DealtSamples& dealt,
                         const Topology& topology, const PredictOptions& options) {
  const Parallelism& parallelism = plan.parallelism;
  const std::int64_t sequences = global_batch(parallelism);
  const std::int64_t length = parallelism.sequence_length;
  StepNumbers numbers;
  const RecomputedPart recomputed = recomputed_part(parallelism.recompute, options.compile.fusion);
  numbers.model_flops = model_flops(model, sequences, length, options.attention);
  numbers.hardware_flops = hardware_flops(model, sequences, length, options.attention, recomputed);
  numbers.convention = convention_text(options.attention);
  numbers.tokens = sequences * length;
  if (!dealt.empty()) take_samples(model, dealt, options.attention, recomputed, numbers);
  numbers.gpus = world_size(parallelism);
  if (topology.gpu_specs.empty()) return numbers;
  const GpuSpec& gpu = topology.gpu_specs.front();
  numbers.peak = peak_rate(gpu, parallelism.compute_type).value_or(FlopRate{});
  numbers.gpu_power = gpu.power;
  numbers.gpu_idle_power = gpu.idle_power;
  numbers.price = gpu.price;
  if (topology.gpu_specs.size() > 1) take_means(plan, topology, numbers);
  const auto per_host = static_cast<double>(topology.hosts.front().gpus.size());
  numbers.hosts = static_cast<int>(std::ceil(numbers.gpus / per_host));
  numbers.host_power = topology.host_specs.front().power;
  // A job on part of the machine answers for its share of the switches.
  numbers.network_power =
      topology.network_power * (numbers.hosts / static_cast<double>(topology.hosts.size()));
  return numbers;
}

}  // namespace quintet
