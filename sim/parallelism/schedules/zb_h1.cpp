// ZB-H1 of "Zero Bubble Pipeline Parallelism" (arXiv 2401.10241 section 2.1): 1F1B with backward
// split, stage s putting W off by s micro-batches.
//
//   stage 0  F1 F2 F3 .  .  B1 W1 F4 B2 W2 ...    p = 3, F = B = W
//   stage 1  .  F1 F2 .  B1 F3 B2 W1 F4 ...
//   stage 2  .  .  F1 B1 F2 B2 F3 B3 W1 F4 ...
//
// The last stages fill the end of the step with the W they owe. In flight: p micro-batches on every
// stage (until their W), as much as 1F1B's first stage. Bubble: (p - 1)(F + B - W).
#include "sim/parallelism/schedules/pass_order.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int stage) {
  return with_split_backward(
      one_forward_one_backward(shape.micro_batches, shape.stages - stage - 1), stage);
}

}  // namespace

const ScheduleRow zb_h1{.name = "zb-h1", .backward = Backward::split, .order = order};

}  // namespace quintet::schedules
