// Interleaved 1F1B (arXiv 2104.04473 section 2.2): stage s has several chunks of the model, every
// p-th from its own, so that the pipeline fills in steps of a chunk.
//
//   stage 0  F1 F2 f1 f2 F3 x1 F4 x2 f3 X1 f4 X2 ...    p = 2, v = 2; F X: chunk 0, f x: chunk 1
//   stage 1  F1 F2 f1 x1 f2 x2 F3 X1 F4 X2 f3 x3 ...    (orders, not to scale)
//
// The order is Megatron-LM's (megatron/core/pipeline_parallel/schedules.py): micro-batches go in
// groups of p; a group passes chunk 0, then chunk 1, ..., and backward from the last chunk. In
// flight on the first stage: p v + p - 1 chunks. Bubble: (p - 1)(F + B + W) / v.
#include <algorithm>

#include "sim/parallelism/schedules/pass_order.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int stage) {
  const int group = shape.stages * shape.chunks;
  const auto micro_batch = [&](int number) {
    return number / group * shape.stages + number % shape.stages;
  };
  const auto chunk = [&](int number) { return number % group / shape.stages; };
  const int passes = shape.micro_batches * shape.chunks;
  const int warm_up =
      std::min(2 * (shape.stages - stage - 1) + (shape.chunks - 1) * shape.stages, passes);
  return one_forward_one_backward(
      passes, warm_up,
      [&](int number) {
        return Pass{PassKind::forward, micro_batch(number), chunk(number)};
      },
      [&](int number) {
        return Pass{PassKind::backward, micro_batch(number), shape.chunks - 1 - chunk(number)};
      });
}

}  // namespace

const ScheduleRow interleaved{.name = "interleaved",
                              .chunks = Chunks::several,
                              .micro_batches = MicroBatches::multiple_of_stages,
                              .order = order};

}  // namespace quintet::schedules
