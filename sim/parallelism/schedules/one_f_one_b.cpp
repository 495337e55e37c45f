// 1F1B: PipeDream-Flush (arXiv 2006.09503 section 2.2), as Megatron-LM's schedules.py runs it.
//
//   stage 0  F1 F2 F3 .  .  X1 F4 X2 F5 X3 ...    p = 3; X: backward, as long as F here
//   stage 1  .  F1 F2 .  X1 F3 X2 F4 X3 ...
//   stage 2  .  .  F1 X1 F2 X2 F3 X3 ...
//
// Stage s starts with p - s forwards; then a backward makes room for each further forward. In
// flight: p - s micro-batches. Bubble: (p - 1)(F + B + W), as GPipe.
#include "sim/parallelism/schedules/pass_order.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int stage) {
  return one_forward_one_backward(shape.micro_batches, shape.stages - stage - 1);
}

}  // namespace

const ScheduleRow one_f_one_b{.name = "1f1b", .stages = Stages::any, .order = order};

}  // namespace quintet::schedules
