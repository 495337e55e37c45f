// How far a long piece of work is, on the standard error: one line of a terminal that is
// overwritten, and wiped off in the end.
#pragma once

#include <chrono>
#include <string>

namespace quintet {

// Into what is no terminal, a log, goes nothing or a line every few seconds.
enum class ProgressShown { never, on_terminal, on_terminal_and_in_logs };

class ProgressLine {
 public:
  explicit ProgressLine(ProgressShown shown);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  // A bar, once the work takes longer than two seconds; share: 0..1.
  void show(const std::string& what, double share);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  ProgressShown shown_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace quintet
