#include "engine/before/step_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/cost/file/cost_table_file.h"
#include "sim/simulate/predict.h"
#include "sim/usage/shipped.h"

namespace quintet::engine {

namespace {

constexpr const char* shipped_for_cores = "cpu-core";
constexpr int most_ranks = 256;  // a prediction of more may take longer than one waits for

// The shipped table of the topology's GPU, or of a processor's cores.
Result<std::string> shipped_table(const TrainingInputs& inputs, Processor processor) {
  if (processor == Processor::cpu) return std::string(shipped_for_cores);
  const auto& gpus = inputs.topology.gpu_specs;
  if (gpus.empty()) return Error{"", "without --topology nothing says which GPUs these are"};
  for (const std::string& name : shipped_names(FileKind::costs)) {
    const auto file = find_shipped(FileKind::costs, name);
    if (!file) continue;
    const Result<CostTable> table = read_cost_table(*file);
    if (table && table->gpu == gpus.front().name) return name;
  }
  return Error{"", "no shipped cost table is of " + gpus.front().name};
}

Result<CostTable> table_of(const TrainingInputs& inputs, const TrainingOptions& options,
                           const std::string& costs) {
  std::string name = costs;
  if (name.empty()) {
    const Result<std::string> shipped = shipped_table(inputs, options.processor);
    if (!shipped) return shipped.error();
    name = *shipped;
  }
  const auto file = find_file(FileKind::costs, name);
  if (!file) return file.error();
  return read_cost_table(*file);
}

std::string device_name(const Topology& topology, DeviceId device) {
  return topology.device(device).name;
}

std::optional<ShapedLink> slowest_link(const Topology& topology, const Prediction& predicted) {
  std::optional<ShapedLink> slowest;
  const std::size_t links = std::min(topology.links.size(), predicted.load_of_link.size());
  for (std::size_t number = 0; number < links; ++number) {
    const std::int32_t load = predicted.load_of_link[number];
    const Link& link = topology.links[number];
    if (load < 0 || link.kind != LinkKind::network) continue;
    const Bytes bytes{predicted.loads[static_cast<std::size_t>(load)].bytes};
    const ShapedLink found{device_name(topology, link.from), device_name(topology, link.to),
                           link.bandwidth, bytes};
    if (!slowest || found.time() > slowest->time()) slowest = found;
  }
  return slowest;
}

std::string basis_of(const CostTable& table, const TrainingOptions& options, double cores) {
  std::string text = "the simulator's, by costs of " + table.name;
  if (options.processor == Processor::cpu)
    text += fmt::format(", as if {:g} cores here were its cores", cores);
  if (options.kernels == KernelChoice::reference)
    text += "; it knows the fast kernels, and these are the slower reference";
  return text;
}

}  // namespace

Result<StepEstimate> estimated_step(const TrainingInputs& inputs, const TrainingOptions& options,
                                    const std::string& costs, double cores) {
  if (const int ranks = world_size(inputs.plan.parallelism); ranks > most_ranks)
    return Error{"", fmt::format("{} ranks take a while to predict: ask quintet simulate", ranks)};
  Result<CostTable> table = table_of(inputs, options, costs);
  if (!table) return table.error();
  // All ranks are here, whatever hosts the topology gives them.
  if (table->processors)
    table->processors->cores = std::max(1, static_cast<int>(std::floor(cores)));
  PredictOptions how;
  how.compile = inputs.compile;
  const Result<Prediction> predicted =
      predict(inputs.model, inputs.plan, inputs.topology, *table, how);
  if (!predicted) return predicted.error();
  StepEstimate found;
  found.step = predicted->summary.step;
  found.low = seconds(predicted->interval.low);
  found.high = seconds(predicted->interval.high);
  found.basis = basis_of(*table, options, cores);
  found.slowest = slowest_link(inputs.topology, *predicted);
  return found;
}

}  // namespace quintet::engine
