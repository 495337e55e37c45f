// Where a thread sleeps until a descriptor that it watches is ready, or another thread wakes it.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

class Sleeper {
 public:
  Sleeper();

  // EPOLLIN and its like (epoll(7)); a second time: these instead. False: errno says why.
  bool watch(int descriptor, std::uint32_t events);
  bool hears_wake();  // to be asked once, as watch()
  void forget(int descriptor);

  // From any thread; costs nothing while the other is awake.
  void wake();

  // The sleeper's own, in this order: from lie_down() on it is woken, so that what came before is
  // to be looked for then, and what comes later is not missed. Found something: get_up().
  void lie_down() { asleep_ = true; }
  void get_up() { asleep_ = false; }
  void sleep(Milliseconds at_most);  // and is up again

 private:
  Descriptor epoll_, wake_;
  std::atomic<bool> asleep_ = false;
};

}  // namespace quintet::engine
