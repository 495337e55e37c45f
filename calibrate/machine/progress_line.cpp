#include "calibrate/machine/progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace quintet::calibrate {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const std::string& text) {
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::seconds(5);
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace quintet::calibrate
