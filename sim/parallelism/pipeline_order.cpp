#include "sim/parallelism/pipeline_order.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace quintet {

namespace {

struct Shape {
  int stages = 1, stage = 0, micro_batches = 1, chunks = 1;
};

// Warm-up forwards, then forward and backward in turn, then the backwards left. `number` counts
// passes of one direction on this stage, 0 .. micro_batches * chunks - 1.
template <class Forward, class Backward>
PassOrder one_forward_one_backward(int passes, int warm_up, Forward forward, Backward backward) {
  PassOrder order;
  for (int number = 0; number < warm_up; ++number) order.push_back(forward(number));
  for (int number = warm_up; number < passes; ++number) {
    order.push_back(forward(number));
    order.push_back(backward(number - warm_up));
  }
  for (int number = passes - warm_up; number < passes; ++number) order.push_back(backward(number));
  return order;
}

Pass forward_of(int micro_batch) {
  return {PassKind::forward, micro_batch, 0};
}

Pass backward_of(int micro_batch) {
  return {PassKind::backward, micro_batch, 0};
}

PassOrder gpipe_order(const Shape& shape) {
  return one_forward_one_backward(shape.micro_batches, shape.micro_batches, forward_of,
                                  backward_of);
}

PassOrder one_f_one_b_order(const Shape& shape) {
  const int warm_up = std::min(shape.stages - shape.stage - 1, shape.micro_batches);
  return one_forward_one_backward(shape.micro_batches, warm_up, forward_of, backward_of);
}

// Megatron-LM, megatron/core/pipeline_parallel/schedules.py: micro-batches go in groups of
// `stages`; a group passes chunk 0, then chunk 1, ...; backward from the last chunk.
PassOrder interleaved_order(const Shape& shape) {
  const int group = shape.stages * shape.chunks;
  const auto micro_batch = [&](int number) {
    return number / group * shape.stages + number % shape.stages;
  };
  const auto chunk = [&](int number) { return number % group / shape.stages; };
  const int passes = shape.micro_batches * shape.chunks;
  const int warm_up =
      std::min(2 * (shape.stages - shape.stage - 1) + (shape.chunks - 1) * shape.stages, passes);
  return one_forward_one_backward(
      passes, warm_up,
      [&](int number) {
        return Pass{PassKind::forward, micro_batch(number), chunk(number)};
      },
      [&](int number) {
        return Pass{PassKind::backward, micro_batch(number), shape.chunks - 1 - chunk(number)};
      });
}

// 1F1B with W put off by `stage` micro-batches, so that every stage holds as many activations as
// the first one does and the last stages fill the end of the step with W.
PassOrder zb_h1_order(const Shape& shape) {
  PassOrder order;
  int weight_gradients = 0;
  for (const Pass& pass : one_f_one_b_order(shape)) {
    if (pass.kind == PassKind::forward) {
      order.push_back(pass);
      continue;
    }
    order.push_back({PassKind::input_gradient, pass.micro_batch, 0});
    if (pass.micro_batch >= shape.stage)
      order.push_back({PassKind::weight_gradient, weight_gradients++, 0});
  }
  while (weight_gradients < shape.micro_batches)
    order.push_back({PassKind::weight_gradient, weight_gradients++, 0});
  return order;
}

PassOrder with_split_backward(const PassOrder& order) {
  PassOrder split;
  for (const Pass& pass : order) {
    if (pass.kind != PassKind::backward) {
      split.push_back(pass);
      continue;
    }
    split.push_back({PassKind::input_gradient, pass.micro_batch, pass.chunk});
    split.push_back({PassKind::weight_gradient, pass.micro_batch, pass.chunk});
  }
  return split;
}

// papers.md 4.3: the unadapted schedule takes F = B = W and no delay.
std::vector<PassOrder> unadapted_schedule(const Parallelism& parallelism) {
  const Seconds same{1e-3};
  return list_schedule(parallelism.warm_ups, parallelism.micro_batches,
                       even_times(parallelism.pipeline, {same, same, same}));
}

PassOrder order_of(const Parallelism& parallelism, int stage) {
  const Shape shape{parallelism.pipeline, stage, parallelism.micro_batches,
                    parallelism.virtual_stages};
  switch (parallelism.schedule) {
    case PipelineSchedule::gpipe:
      return gpipe_order(shape);
    case PipelineSchedule::one_f_one_b:
      return one_f_one_b_order(shape);
    case PipelineSchedule::interleaved:
      return interleaved_order(shape);
    case PipelineSchedule::zb_h1:
      return zb_h1_order(shape);
    case PipelineSchedule::warm_up:
      return unadapted_schedule(parallelism)[static_cast<std::size_t>(stage)];
  }
  return {};
}

}  // namespace

PassOrder pipeline_order(const Parallelism& parallelism, int stage) {
  assert(stage >= 0 && stage < parallelism.pipeline);
  const PassOrder order = order_of(parallelism, stage);
  return parallelism.split_backward ? with_split_backward(order) : order;
}

std::vector<PassOrder> pipeline_orders(const Parallelism& parallelism) {
  if (parallelism.schedule == PipelineSchedule::warm_up) return unadapted_schedule(parallelism);
  std::vector<PassOrder> orders;
  for (int stage = 0; stage < parallelism.pipeline; ++stage)
    orders.push_back(pipeline_order(parallelism, stage));
  return orders;
}

int peak_activations(const PassOrder& order) {
  int held = 0, peak = 0;
  for (const Pass& pass : order) {
    switch (pass.kind) {
      case PassKind::forward:
        peak = std::max(peak, ++held);
        break;
      case PassKind::input_gradient:
        break;
      case PassKind::weight_gradient:
      case PassKind::backward:
        --held;
        break;
    }
  }
  return peak;
}

}  // namespace quintet
