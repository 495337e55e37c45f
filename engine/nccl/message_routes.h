// Which messages share an NCCL communicator of two ranks: NCCL has no tags and runs what is asked
// of one communicator in order, so each kind of message between two ranks, one way, has its own.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/result.h"
#include "sim/program/program.h"

namespace quintet::engine {

struct MessageRoute {
  Payload payload = Payload::activation;
  Rank from, to;
  auto operator<=>(const MessageRoute&) const = default;
};

// "activation from rank 0 to rank 1"
std::string text_of(const MessageRoute& route);

// The routes that `rank` sends or receives on, in one order on all ranks (the least route that is
// not yet open is the next of both its ends, so opening them in order never waits in a circle).
// Messages that start in host memory are not NCCL's.
std::vector<MessageRoute> routes_of(const Program& program, Rank rank);

// Nothing where every receiver takes a route's messages in the order in which they are sent.
std::optional<Error> order_problem(const Program& program);

}  // namespace quintet::engine
