// How far a run is and when it will be over, on a terminal's last line.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sim/base/progress_line.h"

namespace quintet::engine {

// What is left, by the mean time of the steps since the first that was told, which a first step's
// own work is no part of: "step 12 of 100, 1 min 28 s left".
std::string time_left(int step, int steps, std::chrono::duration<double> left);

class RunProgress {
 public:
  RunProgress(ProgressShown shown, int steps) : line_(shown), steps_(steps) {}

  void before_output() { line_.clear(); }
  // `last`: the line that rank 0 printed last.
  void after_output(const std::string& last);

 private:
  using Clock = std::chrono::steady_clock;

  ProgressLine line_;
  int steps_;
  std::optional<int> first_;  // step
  int step_ = 0;
  Clock::time_point since_{}, at_{};
};

}  // namespace quintet::engine
