// ZB-H2 of "Zero Bubble Pipeline Parallelism" (arXiv 2401.10241 section 2.2): ZB-H1 with twice the
// lead. Stage s starts with 2(p - s) - 1 forwards, enough to reach its first B without a pause, and
// puts W off by 2s micro-batches, so that a trapezoid of work becomes a parallelogram.
//
//   stage 0  F1 F2 F3 F4 F5 B1 W1 F6 B2 W2 ...          p = 3, F = B = W
//   stage 1  .  F1 F2 F3 B1 F4 B2 F5 B3 W1 F6 B4 ...
//   stage 2  .  .  F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 W1 F6 ...
//
// In flight: 2p - 1 micro-batches on every stage (until their W), twice what 1F1B's first stage
// holds. What is here of the paper's zero bubble: with 2p - 1 micro-batches or more, a stage pauses
// (p - 1)(F + B - 2W) between its first and its last pass, nothing for F = B = W. What is not:
// later stages still begin and end later. In the paper each stage steps its optimizer and goes on
// with the next step's forwards before the global norm and the check for overflow are known, and
// takes the step back where these forbid it (post-validation, section 4). Neither executor does: a
// step ends for all at once and costs m(F + B + W) + (p - 1) max(F, F + B - 2W), which is less than
// ZB-H1's m(F + B + W) + (p - 1)(F + B - W) where B > W, and the same for F = B = W.
#include "sim/parallelism/schedules/pass_order.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int stage) {
  return with_split_backward(
      one_forward_one_backward(shape.micro_batches, 2 * (shape.stages - stage - 1)), 2 * stage);
}

}  // namespace

const ScheduleRow zb_h2{.name = "zb-h2", .backward = Backward::split, .order = order};

}  // namespace quintet::schedules
