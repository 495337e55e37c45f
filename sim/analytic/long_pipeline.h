// Long pipelines: a stage in the middle that is like its neighbours adds to a step what every other
// such stage adds, once there are micro-batches enough to fill the pipeline.
#pragma once

#include <cstddef>

#include "sim/analytic/step_pieces.h"
#include "sim/analytic/step_walk.h"
#include "sim/plan/parallelism.h"

namespace quintet {

// Two shorter pipelines that show what further stages add. Of schedules in groups of as many
// micro-batches as stages they have as many in whole groups.
struct ShorterPipelines {
  int more = 8, less = 7;
};
ShorterPipelines shorter_pipelines(const Parallelism& parallelism);

// Whether that holds: more than so many stages, all but the ends alike with messages alike, and
// in the schedule's order nothing else changes with their number.
bool grows_evenly(const Parallelism& parallelism, const StepPieces& pieces);

// Of the first, the middle and the last stages so many.
StepPieces shortened(const StepPieces& pieces, std::size_t stages);

// The step of a pipeline of `stages`, from those of two shorter ones. Middle stages are
// told by their mean; what the longer step takes beside their own work is a bubble.
WalkedStep lengthened(const WalkedStep& more, const WalkedStep& less, int stages);

}  // namespace quintet
