// Long pipelines: a stage in the middle that is like its neighbours adds to a step what every other
// such stage adds, once there are micro-batches enough to fill the pipeline.
#pragma once

#include <cstddef>

#include "sim/analytic/step_pieces.h"
#include "sim/analytic/step_walk.h"
#include "sim/plan/parallelism.h"

namespace quintet {

// As many show what further ones add to half of them.
inline constexpr int few_stages = 8;

// Whether that holds: more than that many stages, all but the ends alike with messages alike, and
// in the schedule's order nothing else changes with their number.
bool grows_evenly(const Parallelism& parallelism, const StepPieces& pieces);

// Of the first, the middle and the last stages so many.
StepPieces shortened(const StepPieces& pieces, std::size_t stages);

// The step of a pipeline of `stages`, from those of two shorter ones. Middle stages are
// told by their mean; what the longer step takes beside their own work is a bubble.
WalkedStep lengthened(const WalkedStep& more, const WalkedStep& less, int stages);

}  // namespace quintet
