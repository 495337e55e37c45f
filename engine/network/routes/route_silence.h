// Whether the other end of a connection still acknowledges what is sent, by what the kernel knows:
// it does so for a rank that computes, or stands still, too; not for one behind a cut cable.
#pragma once

#include <optional>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

class RouteSilence {
 public:
  // Looks; to be called every few milliseconds. How long it has been waited for an acknowledgement
  // in vain; zero: nothing is waited for.
  Milliseconds look(int socket, Clock::time_point now);
  // A silence so long is none of a road that is merely long or full: several times the round trip.
  static Milliseconds suspicious(int socket, Milliseconds at_least);

 private:
  std::optional<Clock::time_point> since_;  // something is unacknowledged
};

}  // namespace quintet::engine
