// Times messages between namespaces of this machine (engine/box): a small job of ring all-reduces.
#pragma once

#include <string>

#include "calibrate/ring_rank.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

// The word that makes `program` a rank of that job: program WORD RANK RANKS HOST:PORT INTERFACE,
// with the token in the environment.
inline constexpr const char* ring_rank_word = "ring-rank";

// `ranks` hosts of the topology take part. Fails where no box can be made.
Result<RingTimings> measure_messages(const Topology& topology, const Network& network, int ranks,
                                     const std::string& program);

// The payload that one connection between hosts can carry: of the slowest network link.
Bandwidth wire_rate(const Topology& topology, const Network& network);

}  // namespace quintet::calibrate
