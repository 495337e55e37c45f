// Shortest ways through the graph, for looking at it; routing proper is sim/network/route.
#pragma once

#include <optional>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// Fewest links; among these NVLink before PCIe before the network, and between switches the static
// route of fabrics that have one of their own. Keeps the forwarding rules of topology.h. Empty when
// there is none, or from == to.
std::vector<LinkId> shortest_path(const Topology& topology, DeviceId from, DeviceId to);

// Links between the two NICs (or other endpoints) farthest apart in the fabric, the two to the
// leaves included. None without a fabric, or with more than 4,096 switches.
std::optional<int> network_diameter(const Topology& topology);

}  // namespace quintet
