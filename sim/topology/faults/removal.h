// A machine without some of its wires. Inside the room only.
#pragma once

#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// `gone`: per link; both directions of a wire alike. Links are numbered anew, devices are not. NICs
// whose last network link is gone lose their place among the host's, and their PCIe link. What was
// known of the network in closed form no longer holds.
Topology without_links(Topology topology, std::vector<bool> gone);

}  // namespace quintet
