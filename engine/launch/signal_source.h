// SIGINT, SIGTERM and SIGCHLD as something to read instead of something that interrupts.
#pragma once

#include <csignal>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

// While it lives the signals wait to be read. To be made before any thread is started, since a
// signal goes to whichever thread does not block it.
class SignalSource {
 public:
  SignalSource();
  SignalSource(const SignalSource&) = delete;
  SignalSource& operator=(const SignalSource&) = delete;
  ~SignalSource();

  int descriptor() const { return descriptor_.number(); }
  int next() const;  // 0: none

 private:
  sigset_t before_{};
  Descriptor descriptor_;
};

}  // namespace quintet::engine
