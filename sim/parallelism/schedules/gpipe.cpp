// GPipe (arXiv 1811.06965): all forwards, then all backwards, first micro-batch first.
//
//   stage 0  F1 F2 F3 .  .  .  .  X1 X2 X3    X: backward, as long as F here
//   stage 1  .  F1 F2 F3 .  .  X1 X2 X3
//   stage 2  .  .  F1 F2 F3 X1 X2 X3
//
// In flight: every micro-batch of the step on every stage. Bubble: (p - 1)(F + B + W).
#include "sim/parallelism/schedules/pass_order.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int) {
  return one_forward_one_backward(shape.micro_batches, shape.micro_batches);
}

}  // namespace

const ScheduleRow gpipe{.name = "gpipe", .order = order};

}  // namespace quintet::schedules
