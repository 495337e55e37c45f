#include "sim/base/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace quintet {

namespace {

using namespace std::chrono_literals;

bool redrawable() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

}  // namespace

ProgressLine::ProgressLine(ProgressShown shown)
    : shown_(shown), terminal_(shown != ProgressShown::never && redrawable()) {}

void ProgressLine::show(const std::string& text) {
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    drawn_ = true;
    return;
  }
  const auto now = Clock::now();
  if (shown_ != ProgressShown::on_terminal_and_in_logs || now - last_ < 5s) return;
  last_ = now;
  std::fprintf(stderr, "%s\n", text.c_str());
}

void ProgressLine::show(const std::string& what, double share) {
  const auto now = Clock::now();
  if (!terminal_ || now - begin_ < 2s || now - last_ < 100ms) return;
  last_ = now;
  constexpr int width = 30;
  const auto filled = static_cast<std::size_t>(share * width);
  char percent[16];
  std::snprintf(percent, sizeof percent, "%3.0f %%", 100.0 * share);
  show(what + " [" + std::string(filled, '#') + std::string(width - filled, ' ') + "] " + percent);
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace quintet
