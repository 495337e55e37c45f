#include "sim/simulate/adapted_step.h"

#include <algorithm>
#include <optional>

#include "sim/compile/step_program.h"
#include "sim/intra_inter/placement.h"
#include "sim/program/groups.h"
#include "sim/simulate/predict.h"

namespace quintet {

namespace {

void hold(Topology& topology, DeviceId from, DeviceId to, const HeldBack& as) {
  const HeldSend held{topology.device(from).host, topology.device(to).host, as.by, as.late};
  const bool known = std::find(topology.held_sends.begin(), topology.held_sends.end(), held) !=
                     topology.held_sends.end();
  if (!known && held.from != held.to) topology.held_sends.push_back(held);
}

// Passes of ranks that take turns on cores, also with their messages, are told as long as they took
// so: they take turns no more.
CostTable with_profiles(CostTable costs, const PipelineState& state) {
  if (costs.processors) {
    costs.processors->cores = 0;
    costs.processors->message_tail = {};
  }
  costs.stages.clear();
  for (const StageTimes& times : state.stages)
    costs.stages.push_back(
        {times.forward, times.input_gradient, times.weight_gradient, state.rest});
  return costs;
}

// Warm-ups of algorithm 2 take memory to be without end.
std::optional<Error> does_not_fit(const Model& model, const Plan& plan, const Topology& topology,
                                  const CostTable& costs) {
  const Result<MemoryReport> memory = predict_memory(model, plan, topology, costs);
  if (!memory) return memory.error();
  if (memory->capacity <= Bytes{} || verdict(*memory) == MemoryVerdict::fits) return std::nullopt;
  return Error{"plan \"" + plan.name + "\"", verdict_text(*memory)};
}

Result<Seconds> step_time(const Model& model, const Plan& plan, const Topology& topology,
                          const CostTable& costs, const CompileOptions& compile) {
  const Result<Program> program = checked_program(model, plan, topology, costs, compile);
  if (!program) return program.error();
  if (const auto error = does_not_fit(model, plan, topology, costs)) return *error;
  const Result<Execution> step = simulate(*program, plan, topology, costs);
  if (!step) return step.error();
  return seconds(step->timeline.end);
}

}  // namespace

Topology with_late_stages(Topology topology, const Plan& plan, const PipelineState& state) {
  const std::vector<StageTimes>& stages = state.stages;
  Grid grid;
  for (const Axis axis : plan.parallelism.order)
    grid.axes.push_back({axis, degree(plan.parallelism, axis)});
  const std::vector<DeviceId> slots =
      slots_of_ranks(topology, plan.intra_inter.placement, world_size(grid));
  for (std::size_t index = 0; index < slots.size(); ++index) {
    const Rank rank = id_at<Rank>(index);
    const auto stage = static_cast<std::size_t>(coordinate(grid, rank, Axis::pipeline));
    if (stage + 1 >= stages.size() || !(stages[stage].delay > Seconds{})) continue;
    const DeviceId next = slots[neighbour(grid, rank, Axis::pipeline, 1).index()];
    const Seconds by = stage < state.held.size() ? state.held[stage] : stages[stage].delay;
    hold(topology, slots[index], next, {by, stages[stage].delay - by});
    hold(topology, next, slots[index], {by, stages[stage].delay - by});
  }
  return topology;
}

PredictStep simulated_step(const Model& model, const Topology& topology, const CostTable& costs,
                           const CompileOptions& compile) {
  return [&model, &topology, &costs, compile](const Plan& plan, const PipelineState& state) {
    return step_time(model, plan, with_late_stages(topology, plan, state),
                     with_profiles(costs, state), compile);
  };
}

PredictStep known_step(const Model& model, const Topology& topology, const CostTable& costs,
                       const CompileOptions& compile) {
  return [&model, &topology, &costs, compile](const Plan& plan, const PipelineState&) {
    return step_time(model, plan, topology, costs, compile);
  };
}

}  // namespace quintet
