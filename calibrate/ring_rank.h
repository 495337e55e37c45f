// One rank of the small job that times messages: joins the others, runs ring all-reduces.
#pragma once

#include <iosfwd>
#include <string>

#include "calibrate/message_costs.h"
#include "engine/launch/rendezvous_socket.h"
#include "sim/result.h"

namespace quintet::calibrate {

struct RingRank {
  int rank = 0, ranks = 1;
  engine::SocketAddress server;  // rank 0 holds the rendezvous there
  std::string interface, token;
};

struct RingTimings {
  RingPair idle, crowded;
  bool operator==(const RingTimings&) const = default;
};

// All ranks together; each gets the slowest one's times.
Result<RingTimings> time_rings(const RingRank& rank);

// One line, from a rank to who started it.
std::string line_of(const RingTimings& timings);
Result<RingTimings> parse_timings(const std::string& line);

}  // namespace quintet::calibrate
