// How a rank reaches the others: its interfaces, and what it takes for a road that is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

struct RouteOptions {
  std::vector<std::string> addresses;  // of this rank's interfaces, literals; route i uses the i-th
  std::string token;
  std::uint32_t rank = 0, world = 1, lane = 0;

  // Nothing sent was acknowledged for so long (or four round trips): another route is taken, where
  // there is one. Linux sends the last packet again after two round trips (tail loss probe), so
  // that a road that goes answers before.
  Milliseconds silent_after{150};
  // So often an acknowledgement is asked for where nothing else is sent, and so long after the last
  // message, so that a cut is known before the next.
  Milliseconds ping_every{50};
  Milliseconds watched_for{5000};
  // A connection that has not come about within it is begun anew, or elsewhere.
  Milliseconds attempt{400};
  // How often it is tried to come back to the route that is preferred.
  Milliseconds try_again{200};
  // No route to a rank was found for so long: it counts as lost. Longer than the rendezvous takes
  // to notice a silent rank, which knows better who it is.
  Milliseconds give_up{8000};
};

// A route that was left for another, and why: for people.
struct RouteChange {
  std::uint32_t to = 0;  // rank
  std::size_t from_route = 0, to_route = 0;
  std::string why;
};

}  // namespace quintet::engine
