#include "sim/validate/predict_row.h"

#include <algorithm>

#include "sim/simulate/predict.h"

namespace quintet {

namespace {

Result<Prediction> predict_with(const Expression& row, const Topology& topology, int batches) {
  Plan plan = row.plan;
  plan.parallelism.micro_batches = batches;
  PredictOptions options;
  options.compile = row.compile;
  return predict(row.model, plan, topology, row.costs, options);
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
  made.step = seconds(more->timeline.end - Instant{});
  made.breakdown = more->mean;
  made.capacity = more->memory.capacity;
  made.fullest = fullest(more->memory).value_or(RankMemory{});
  made.fits = verdict(more->memory) == MemoryVerdict::fits;
  more = Error{};  // a long step's spans take gigabytes
  if (batches.more == batches.fewer) return made;
  const Result<Prediction> fewer = predict_with(row, topology, batches.fewer);
  if (!fewer) return fewer.error();
  const Seconds each = (made.step - seconds(fewer->timeline.end - Instant{})) /
                       static_cast<double>(batches.more - batches.fewer);
  made.step += each * static_cast<double>(row.plan.parallelism.micro_batches - batches.more);
  return made;
}

}  // namespace quintet
