// The learning rate of each step: linear warm-up, then half a cosine down to a share of the peak
// (as nanoGPT's get_lr and Megatron-LM's cosine decay).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace quintet::engine {

struct LearningRate {
  double peak = 1e-3;
  std::int64_t warm_up = 0;  // steps; the peak is reached after them
  std::int64_t decay = 0;    // step at which the lowest is reached; 0: stays at the peak
  double lowest = 0.1;       // of the peak
  bool operator==(const LearningRate&) const = default;
};

// `step` counts from 1: the step that uses the rate.
inline double learning_rate_at(const LearningRate& schedule, std::int64_t step) {
  const auto [peak, warm_up, decay, lowest] = schedule;
  if (step <= warm_up) return peak * static_cast<double>(step) / static_cast<double>(warm_up);
  if (decay <= warm_up) return peak;
  const double share =
      std::min(1.0, static_cast<double>(step - warm_up) / static_cast<double>(decay - warm_up));
  return peak * (lowest + (1 - lowest) * 0.5 * (1 + std::cos(std::numbers::pi * share)));
}

}  // namespace quintet::engine
