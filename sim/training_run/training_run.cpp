#include "sim/training_run/training_run.h"

#include <cmath>

namespace quintet {

namespace {

double steps_of(const RunLength& length, const RunParts& parts) {
  switch (length.unit) {
    case RunUnit::tokens:
      return std::ceil(length.count / static_cast<double>(parts.tokens_per_step));
    case RunUnit::samples:
      return std::ceil(length.count / parts.samples_per_step);
    case RunUnit::steps:
      return length.count;
  }
  return length.count;
}

double evaluations_of(const TrainingRun& run, const Evaluation& evaluation) {
  return evaluation.every > 0 ? std::floor(run.samples / evaluation.every) : 0;
}

Seconds time_of(const Checkpoints& checkpoints, Bytes state) {
  if (checkpoints.every == 0) return {};
  return (checkpoints.size > Bytes{} ? checkpoints.size : state) / checkpoints.rate;
}

}  // namespace

TrainingRun training_run(const RunLength& length, const RunParts& parts) {
  const StepSummary& step = parts.step;
  const Checkpoints& checkpoints = parts.how.checkpoints;
  TrainingRun run;
  run.asked = length;
  run.steps = steps_of(length, parts);
  run.samples = run.steps * parts.samples_per_step;
  run.tokens = length.unit == RunUnit::tokens
                   ? length.count
                   : run.steps * static_cast<double>(parts.tokens_per_step);
  run.start_up = parts.how.start_up;
  run.evaluations = evaluations_of(run, parts.how.evaluation);
  run.evaluating = run.evaluations * parts.evaluation;
  run.checkpoints = checkpoints.every > 0 ? std::floor(run.steps / checkpoints.every) : 0;
  run.checkpointing = run.checkpoints * time_of(checkpoints, parts.state);
  const Seconds waiting = run.start_up + run.checkpointing;
  const Seconds beside = waiting + run.evaluating;
  run.time = run.steps * step.step + beside;
  run.energy = run.steps * step.energy;
  if (step.power > Watts{}) run.energy += step.power * run.evaluating + parts.waiting * waiting;
  run.cost = run.steps * step.cost;
  if (step.step > Seconds{}) run.cost += (beside / step.step) * step.cost;
  if (parts.interval)
    run.interval = {run.steps * parts.interval->low + beside,
                    run.steps * parts.interval->high + beside, parts.interval->rests_on};
  return run;
}

}  // namespace quintet
