// A progress bar on a terminal for work that takes longer than two seconds.
#pragma once

#include <chrono>
#include <string>

namespace quintet {

enum class ProgressShown { never, on_terminal };

class Progress {
 public:
  explicit Progress(ProgressShown shown);
  void show(const std::string& what, double share);  // share: 0..1
  void clear();

 private:
  bool terminal_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace quintet
