#include "engine/command/signals.h"

#include <atomic>
#include <csignal>

namespace quintet::engine {

namespace {

// The one thing a signal handler can reach, on whichever thread it runs.
std::atomic<bool> asked_to_end = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void ask_to_end(int) {
  asked_to_end = true;
}

}  // namespace

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool is_asked_to_end() {
  return asked_to_end.load();
}

}  // namespace quintet::engine
