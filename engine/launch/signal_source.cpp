#include "engine/launch/signal_source.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace quintet::engine {

SignalSource::SignalSource() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  descriptor_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalSource::~SignalSource() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalSource::next() const {
  signalfd_siginfo info{};
  return read(descriptor_.number(), &info, sizeof info) == sizeof info
             ? static_cast<int>(info.ssi_signo)
             : 0;
}

}  // namespace quintet::engine
