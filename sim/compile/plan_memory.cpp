#include "sim/compile/plan_memory.h"

#include <algorithm>

namespace quintet {

namespace {

// Ranks count innermost axis first: all other coordinates are 0.
Rank first_rank(const Parallelism& parallelism, int stage) {
  int stride = 1;
  for (const Axis axis : parallelism.order) {
    if (axis == Axis::pipeline) break;
    stride *= degree(parallelism, axis);
  }
  return Rank{stage * stride};
}

Bytes fixed_memory(const Parallelism& parallelism, const CostTable& costs) {
  const int axes = (parallelism.tensor > 1 ? 1 : 0) + (parallelism.pipeline > 1 ? 1 : 0);
  return costs.framework_memory + static_cast<double>(axes) * costs.communicator_memory;
}

}  // namespace

CompileOptions compile_options(const CostTable& costs, CompileOptions options) {
  options.work = costs.stages.empty() ? WorkSource::operators : WorkSource::stage_profiles;
  return options;
}

Bytes least_memory(const Topology& topology) {
  if (topology.gpu_specs.empty()) return {};
  Bytes least = topology.gpu_specs.front().memory;
  for (const GpuSpec& gpu : topology.gpu_specs) least = std::min(least, gpu.memory);
  return least;
}

RankMemory rank_memory(const StageMemory& stage, const Parallelism& parallelism,
                       const CostTable& costs) {
  RankMemory memory;
  memory.rank = first_rank(parallelism, stage.stage);
  memory.stage = stage.stage;
  memory.weights = stage.weights;
  memory.gradients = stage.gradients;
  memory.optimizer = stage.optimizer;
  memory.activations = stage.activations + stage.working;
  memory.logits = stage.logits;
  memory.communication = stage.communication;
  memory.host = stage.host;
  memory.framework =
      fixed_memory(parallelism, costs) + costs.fragmentation * (stage.activations + stage.logits);
  return memory;
}

MemoryReport memory_report(const Model& model, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const CompileOptions& options) {
  MemoryReport report;
  report.capacity = least_memory(topology);
  for (const StageMemory& stage : stage_memory(model, plan, compile_options(costs, options)))
    report.ranks.push_back(rank_memory(stage, plan.parallelism, costs));
  return report;
}

}  // namespace quintet
