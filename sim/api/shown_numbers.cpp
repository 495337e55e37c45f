#include "sim/api/shown_numbers.h"

namespace quintet::api {
namespace {

Fit fit_of(MemoryFit fit) {
  switch (fit) {
    case MemoryFit::fits:
      return Fit::fits;
    case MemoryFit::too_close:
      return Fit::too_close;
    case MemoryFit::does_not_fit:
      return Fit::does_not_fit;
    case MemoryFit::not_known:
      return Fit::not_known;
  }
  return Fit::not_known;
}

}  // namespace

Numbers shown_numbers(const Answer& answer) {
  Numbers numbers;
  numbers.step_s = mean_step(answer).value;
  if (const auto interval = mean_interval(answer)) {
    numbers.low_s = interval->low.value;
    numbers.high_s = interval->high.value;
  }
  numbers.mfu = answer.summary.mfu;
  numbers.hfu = answer.summary.hfu;
  numbers.tokens_per_s = answer.summary.tokens_per_second;
  numbers.tokens_per_s_per_gpu = answer.summary.tokens_per_second_per_gpu;
  numbers.memory_bytes = answer.memory_needed.value;
  numbers.capacity_bytes = answer.memory_capacity.value;
  numbers.fit = fit_of(answer.fit);
  return numbers;
}

}  // namespace quintet::api
