// How far a measurement is, on the standard error: on a terminal one line that is overwritten, else
// a line every few seconds, so that logs stay short.
#pragma once

#include <chrono>
#include <string>

namespace quintet::calibrate {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // wipes it off the terminal
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace quintet::calibrate
