// A program to be started somewhere else than here, and a handle on what was started.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

struct ProcessStart {
  std::vector<std::string> arguments;    // the first is the path of the program
  std::vector<std::string> environment;  // "NAME=value": all of it, nothing is inherited
  // Descriptors of the caller that become 0, 1 and 2; -1: /dev/null. All others are closed.
  int input = -1, output = 1, error = 2;
};

// pidfd: a handle that cannot come to mean another process. The C library's own header for it
// cannot be used from C++ before glibc 2.37 (no extern "C").
inline Descriptor handle_of(pid_t process) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

// Nothing happens when it has ended.
inline void signal_to(const Descriptor& handle, int signal) {
  syscall(SYS_pidfd_send_signal, handle.number(), signal, nullptr, 0);
}

}  // namespace quintet::engine
