// What half of the hosts can send to the other half at once.
#pragma once

#include <optional>

#include "sim/topology/topology.h"

namespace quintet {

// Maximum flow through the fabric from the NICs of the first half of the hosts (in host order, the
// smaller half when odd) to the NICs of the rest; by max-flow/min-cut this is the narrowest cut
// between them (push-relabel, Goldberg and Tarjan 1988). One direction. Checks the closed form of
// NetworkShape, and stands alone for explicit graphs. None with fewer than two hosts, without a
// fabric, or with more than `most_links` links in it.
std::optional<Bandwidth> bisection_by_flow(const Topology& topology, int most_links = 20'000);

}  // namespace quintet
