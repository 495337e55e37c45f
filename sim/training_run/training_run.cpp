#include "sim/training_run/training_run.h"

#include <algorithm>
#include <cmath>

#include "sim/training_run/periodic_step.h"

namespace quintet {

namespace {

double evaluations_of(const TrainingRun& run, const Evaluation& evaluation) {
  if (evaluation.every == 0) return 0;
  return std::min(run.steps, std::floor(run.samples / evaluation.every));
}

// All steps, each of its kind.
StepSummary sum_of(double steps, const RunParts& parts) {
  const double with = exchanges_in(steps, parts.every), without = steps - with;
  StepSummary sum;
  sum.step = with * parts.step.step + without * parts.between.step;
  sum.energy = with * parts.step.energy + without * parts.between.energy;
  sum.cost = with * parts.step.cost + without * parts.between.cost;
  return sum;
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
  run.steps =
      steps_of(length, {static_cast<double>(parts.tokens_per_step), parts.samples_per_step});
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
  const StepSummary all = sum_of(run.steps, parts);
  run.time = all.step + beside;
  run.energy = all.energy;
  if (step.power > Watts{}) run.energy += step.power * run.evaluating + parts.waiting * waiting;
  run.cost = all.cost;
  if (step.step > Seconds{}) run.cost += (beside / step.step) * step.cost;
  if (!parts.interval) return run;
  // Steps without the exchange are off by the same share.
  const double like = parts.every > 1 && step.step > Seconds{} ? all.step / step.step : run.steps;
  run.interval = {like * parts.interval->low + beside, like * parts.interval->high + beside,
                  parts.interval->rests_on};
  return run;
}

}  // namespace quintet
