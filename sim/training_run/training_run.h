// A whole run at the predicted step: start-up, steps, evaluations, checkpoints. No restarts, no
// warm-up. Pure.
//
//   evaluations = floor(steps x samples of a step / samples between two), one after a step at most
//   checkpoints = floor(steps / steps between two), each of size / storage's rate
//   steps       = exchanges with, the others without what replicas exchange every n steps
//   time        = start-up + steps' + evaluations x evaluation + checkpoints x checkpoint
//   energy      = steps' + evaluations at the step's mean power + the rest at idle GPUs' power
//   cost        = rent for all that time
// An interval is the steps' alone: of the rest no error is known.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/base/units.h"
#include "sim/confidence/step_interval.h"
#include "sim/explain/summary.h"
#include "sim/plan/whole_run.h"
#include "sim/training_run/run_length.h"

namespace quintet {

struct TrainingRun {
  RunLength asked;
  double tokens = 0, samples = 0;  // tokens: as asked, or of the whole steps
  double steps = 0;                // whole ones
  Seconds time;
  std::optional<StepInterval> interval;  // of the time, as of the step
  Joules energy;                         // 0: power not known
  Dollars cost;                          // 0: price not known
  // Parts of the time beside the steps.
  Seconds start_up;
  double evaluations = 0, checkpoints = 0;
  Seconds evaluating, checkpointing;
  bool operator==(const TrainingRun&) const = default;
};

// What a run is made of.
struct RunParts {
  std::int64_t tokens_per_step = 0;  // above 0
  double samples_per_step = 0;       // above 0
  StepSummary step;
  std::optional<StepInterval> interval{};  // of `step`
  int every = 1;                           // the last of so many steps is `step`, the others
  StepSummary between{};                   // are these
  WholeRun how{};
  Seconds evaluation{};  // of one
  Bytes state{};         // that a checkpoint keeps, where the plan does not say
  Watts waiting{};       // the job's power while no kernel runs; 0: not known
};

TrainingRun training_run(const RunLength& length, const RunParts& parts);

}  // namespace quintet
