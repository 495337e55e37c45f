// Which slot of the machine each rank takes.
#pragma once

#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// `placement` is the plan's; empty: rank i in slot i.
std::vector<DeviceId> slots_of_ranks(const Topology& topology, const std::vector<int>& placement,
                                     int ranks);

}  // namespace quintet
