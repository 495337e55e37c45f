#include "sim/command/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace quintet {

namespace {

bool plain_terminal() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::strcmp(terminal, "dumb") == 0;
}

}  // namespace

Progress::Progress(ProgressShown shown)
    : terminal_(shown == ProgressShown::on_terminal && isatty(STDERR_FILENO) && !plain_terminal()) {
}

void Progress::show(const std::string& what, double share) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - begin_ < 2s || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 30;
  const int filled = static_cast<int>(share * width);
  std::fprintf(stderr, "\r%s [%.*s%*s] %3.0f %%", what.c_str(), filled,
               "##############################", width - filled, "", 100.0 * share);
  std::fflush(stderr);
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace quintet
