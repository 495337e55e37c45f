#include "sim/simulate/predict.h"

#include <algorithm>

#include "sim/base/parallel.h"
#include "sim/compile/plan_memory.h"
#include "sim/compile/step_program.h"
#include "sim/intra_inter/placement.h"
#include "sim/program/groups.h"
#include "sim/simulate/evaluation.h"
#include "sim/simulate/folded_walk.h"
#include "sim/simulate/not_priced.h"
#include "sim/simulate/plan_between.h"
#include "sim/simulate/step_numbers.h"
#include "sim/simulate/step_samples.h"

namespace quintet {

namespace {

// Core pools stand behind the topology's links; reports are about the latter.
void drop_core_pools(const Topology& topology, Execution& execution) {
  execution.load_of_link.resize(topology.links.size());
  std::erase_if(execution.loads,
                [&](const LinkLoad& load) { return load.shown.index() >= topology.links.size(); });
  drop_loads_from(execution.traffic, execution.loads.size());
}

// The host of every rank shown.
void name_hosts(const Grid& grid, const Plan& plan, const Topology& topology, Timeline& timeline) {
  const std::vector<DeviceId> slots =
      slots_of_ranks(topology, plan.intra_inter.placement, world_size(grid));
  for (Track& track : timeline.tracks)
    track.host = topology.host(topology.device(slots[track.rank.index()]).host).name;
}

// What would end later ends at end_of_time: no time to show anybody.
std::optional<Error> beyond_the_clock(const Timeline& timeline) {
  if (timeline.end < end_of_time) return std::nullopt;
  return Error{"the step",
               "would take more than 106 days, the most that the simulator's clock holds; a rate "
               "of the machine or of the cost table is too low, or a delay too long"};
}

}  // namespace

// Assumed, not measured: of the order of what a task has cost so far, 1.3 us
// (tests/benchmark/shipped_plans.py measures).
Seconds expected_time(const WalkExtent& extent) {
  constexpr double tasks_per_second = 1.0e6;
  return {static_cast<double>(extent.tasks) / tasks_per_second};
}

Result<Program> unpriced_program(const Model& model, const Plan& plan, const Topology& topology,
                                 const CostTable& costs, const CompileOptions& options) {
  return checked_step_program(model, plan, topology, compile_options(costs, options));
}

Result<Program> checked_program(const Model& model, const Plan& plan, const Topology& topology,
                                const CostTable& costs, const CompileOptions& options) {
  Result<Program> program = unpriced_program(model, plan, topology, costs, options);
  if (!program) return program;
  for (const CostTable* const table : all_tables(costs))
    if (const auto error = not_priced(*program, plan, *table)) return *error;
  return program;
}

Result<Execution> simulate_priced(const PricedStep& step, const Topology& topology,
                                  const PredictOptions& options) {
  Result<Execution> execution = walk_folded(step, options);
  if (!execution) return execution;
  execution->measured = step.all.measured;
  name_hosts(step.program.grid, step.plan, topology, execution->timeline);
  drop_core_pools(topology, *execution);
  if (options.shown == ShownTimeline::whole) {
    execution->timeline = with_repeated(std::move(execution->timeline), execution->repeated);
    execution->repeated = {};
  }
  return execution;
}

Result<Execution> simulate(const Program& program, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const PredictOptions& options) {
  const Communications all = communications(program, plan, topology, costs, options.ways);
  return simulate_priced({program, plan, costs, all}, topology, options);
}

Result<MemoryReport> predict_memory(const Model& model, const Plan& plan, const Topology& topology,
                                    const CostTable& costs, const CompileOptions& compile) {
  const Result<Program> program = unpriced_program(model, plan, topology, costs, compile);
  if (!program) return program.error();
  return memory_report(model, plan, topology, costs, compile);
}

Result<Prediction> predict(const Model& model, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const PredictOptions& options) {
  Result<Program> program = checked_program(model, plan, topology, costs, options.compile);
  if (!program) return program.error();
  Prediction prediction;
  prediction.program = std::move(*program);
  PredictOptions own = options;
  own.shown = ShownTimeline::without_repetition;
  Result<Execution> execution = simulate(prediction.program, plan, topology, costs, own);
  if (!execution) return execution.error();
  const RepeatedPart& repeated = execution->repeated;
  if (const auto error = beyond_the_clock(execution->timeline)) return *error;
  prediction.timeline = std::move(execution->timeline);
  prediction.loads = std::move(execution->loads);
  prediction.load_of_link = std::move(execution->load_of_link);
  prediction.traffic = std::move(execution->traffic);
  prediction.events = execution->events;
  prediction.move_bases = execution->measured.bases;
  prediction.track_of_rank = std::move(execution->track_of_rank);
  // Both look at the whole timeline, and neither at the other.
  for_each_index(2, options.interval ? options.threads : 1, [&](std::size_t which) {
    if (which == 0)
      prediction.breakdowns = breakdowns(prediction.timeline, repeated);
    else if (options.interval)
      prediction.interval = predicted_interval(prediction.program, prediction.timeline, costs,
                                               execution->measured, repeated);
  });
  if (!options.interval)
    prediction.interval.low = prediction.interval.high = prediction.timeline.end - Instant{};
  prediction.mean = mean(prediction.breakdowns);
  prediction.numbers = step_numbers(model, plan, prediction.program.dealt, topology, options);
  prediction.load_balance = load_balance_of(model, plan, topology);
  prediction.summary = step_summary(prediction.mean, prediction.numbers);
  if (options.shown == ShownTimeline::whole)
    prediction.timeline = with_repeated(std::move(prediction.timeline), repeated);
  prediction.memory = memory_report(model, plan, topology, costs, options.compile);
  prediction.checkpoint = checkpoint_size(model, plan.parallelism);
  if (const auto quiet = plan_between(plan)) {
    PredictOptions short_of = options;
    short_of.shown = ShownTimeline::without_repetition;
    short_of.begins = {};
    const Result<Prediction> between = predict(model, *quiet, topology, costs, short_of);
    if (!between) return between.error();
    prediction.between = between->summary;
  }
  if (plan.run.evaluation.every > 0) {
    const Result<Seconds> time = evaluation_time(model, plan, topology, costs, options);
    if (!time) return time.error();
    prediction.evaluation = *time;
  }
  return prediction;
}

}  // namespace quintet
