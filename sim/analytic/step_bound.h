// What no walk of a plan is faster than.
#pragma once

#include <vector>

#include "sim/analytic/step_pieces.h"
#include "sim/parallelism/schedules/schedule.h"
#include "sim/plan/plan.h"

namespace quintet {

// s. `alike`: all groups of an axis take the same time alone, so that what one takes bounds all;
// otherwise communication counts nothing.
//
// Why the walk's step is at least this, for each stage:
//   - its compute lane runs the kernels of all its passes one after the other, and from the first
//     kernel of a pass to its last none of another. In between each layer waits for all of the one
//     before it, so that each takes at least its list time with kernels that nothing slows and
//     collectives on empty links: lanes have a fixed order, so their end is monotone in every time.
//     In front of the first kernel and behind the last a collective may go on beside another pass,
//     so that the first and the last layer count their kernels alone. (passes)
//   - its first pass waits for the first micro-batch's forward on all stages before it, and for a
//     message between any two of them. (fill)
//   - behind the last pass come the kernels of the update, and with a norm over all ranks those of
//     clipping on every stage. (finish)
//   - in schedules whose backward is whole the last pass of a stage is a backward of its first
//     chunk, whose gradient then goes down through the first chunks of all stages before it.
//     (drain)
//   - the lane of gradients (of gathered weights) runs its collectives one after the other; the
//     first can begin when the first micro-batch has been forward, where gradients stay until they
//     are whole when all but the last micro-batch's backward of one chunk is done. (exchange)
double least_step(const Plan& plan, const StepPieces& pieces, bool alike);

}  // namespace quintet
