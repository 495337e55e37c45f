#include "engine/command/run_progress.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/train/step_log.h"

namespace quintet::engine {

std::string time_left(int step, int steps, std::chrono::duration<double> left) {
  const auto seconds = static_cast<long>(std::lround(left.count()));
  std::string time = fmt::format("{} s", seconds % 60);
  if (seconds >= 60) time = fmt::format("{} min {}", seconds / 60 % 60, time);
  if (seconds >= 3600) time = fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("step {} of {}, {} left", step, steps, time);
}

void RunProgress::after_output(const std::string& last) {
  const std::optional<int> step = step_of_line(last);
  if (step && *step != step_) {
    step_ = *step;
    at_ = Clock::now();
    if (!first_) {
      first_ = step_;
      since_ = at_;
    }
  }
  if (!first_ || step_ <= *first_ || step_ >= steps_) return;
  const std::chrono::duration<double> each = (at_ - since_) / double(step_ - *first_);
  line_.show(time_left(step_, steps_, each * double(steps_ - step_)));
}

}  // namespace quintet::engine
