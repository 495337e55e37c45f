// What a whole run does beside its steps. No layer's decision: nothing of it changes a step.
#pragma once

#include "sim/base/units.h"

namespace quintet {

// Forward passes over held-out samples, after the first step by which so many more are trained.
struct Evaluation {
  int every = 0;    // samples; 0: none
  int samples = 0;  // of one evaluation
  bool operator==(const Evaluation&) const = default;
};

// Steps wait while the state is written.
struct Checkpoints {
  int every = 0;   // steps; 0: none
  Bytes size;      // 0: the weights and the optimizer's state
  Bandwidth rate;  // of the storage, all ranks together
  bool operator==(const Checkpoints&) const = default;
};

struct WholeRun {
  Seconds start_up;  // before the first step
  // Samples that a step trains, where they are not the plan's sequences: input that is packed, or
  // sequences of one length that stand for samples of many. 0: the global batch.
  int batch = 0;
  Evaluation evaluation;
  Checkpoints checkpoints;
  bool operator==(const WholeRun&) const = default;
};

}  // namespace quintet
