// pidfd: a handle that cannot come to mean another process. The C library's own header for it
// cannot be used from C++ before glibc 2.37 (no extern "C").
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

inline Descriptor handle_of(pid_t process) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

// Nothing happens when it has ended.
inline void signal_to(const Descriptor& handle, int signal) {
  syscall(SYS_pidfd_send_signal, handle.number(), signal, nullptr, 0);
}

}  // namespace quintet::engine
