#include "sim/validate/rows/predict_row.h"

#include <algorithm>

#include "sim/explain/breakdown_report.h"
#include "sim/simulate/predict.h"

namespace quintet {

namespace {

Result<Prediction> predict_with(const Expression& row, const Topology& topology, int batches) {
  Plan plan = row.plan;
  plan.parallelism.micro_batches = batches;
  PredictOptions options;
  options.compile = row.compile;
  options.shown = ShownTimeline::without_repetition;
  return predict(row.model, plan, topology, row.costs, options);
}

// All lines but the last, which is the step.
std::vector<StepPart> parts_of(const RankBreakdown& breakdown) {
  std::vector<StepPart> parts;
  for (const BreakdownRow& row : rows_of(breakdown))
    parts.push_back({row.name, row.level, seconds(row.time)});
  parts.pop_back();
  return parts;
}

void set_memory(const MemoryReport& memory, StepPrediction& into) {
  into.capacity = memory.capacity;
  into.fullest = fullest(memory).value_or(RankMemory{});
  into.fits = verdict(memory) == MemoryVerdict::fits;
}

}  // namespace

// Schedules that interleave want multiples of the pipeline's length. Otherwise a long pipeline is
// filled once and then has found its period.
SimulatedBatches simulated_batches(const Parallelism& parallelism) {
  const int stages = std::max(parallelism.pipeline, 2);
  const bool long_pipeline = parallelism.schedule == PipelineSchedule::one_f_one_b && stages >= 8;
  const int filled = stages + stages / 2;
  const SimulatedBatches shortened = long_pipeline ? SimulatedBatches{filled, filled + stages / 4}
                                                   : SimulatedBatches{2 * stages, 3 * stages};
  if (parallelism.schedule == PipelineSchedule::gpipe ||
      parallelism.micro_batches <= shortened.more + shortened.fewer / 2)
    return {parallelism.micro_batches, parallelism.micro_batches};
  return shortened;
}

Result<StepPrediction> predict_row(const Expression& row, const Topology& topology) {
  const SimulatedBatches batches = simulated_batches(row.plan.parallelism);
  Result<Prediction> more = predict_with(row, topology, batches.more);
  if (!more) return more.error();
  StepPrediction made;
  made.step = more->summary.step;
  made.parts = parts_of(more->mean);
  set_memory(more->memory, made);
  more = Error{};  // a long step's spans take gigabytes
  if (batches.more == batches.fewer) return made;
  const Result<Prediction> fewer = predict_with(row, topology, batches.fewer);
  if (!fewer) return fewer.error();
  const double further = static_cast<double>(row.plan.parallelism.micro_batches - batches.more) /
                         static_cast<double>(batches.more - batches.fewer);
  made.step += further * (made.step - fewer->summary.step);
  const std::vector<StepPart> before = parts_of(fewer->mean);
  for (std::size_t i = 0; i < made.parts.size(); ++i)
    made.parts[i].time += further * (made.parts[i].time - before[i].time);
  return made;
}

Result<StepPrediction> predict_row_memory(const Expression& row, const Topology& topology) {
  Plan plan = row.plan;
  plan.parallelism.micro_batches = simulated_batches(plan.parallelism).more;
  const auto memory = predict_memory(row.model, plan, topology, row.costs, row.compile);
  if (!memory) return memory.error();
  StepPrediction made;
  set_memory(*memory, made);
  return made;
}

}  // namespace quintet
