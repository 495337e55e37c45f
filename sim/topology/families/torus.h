// The torus' own static route, also of grids that an explicit graph lists.
#pragma once

#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// x first, then y, then z, each the shorter way around, and the positive one where both are alike
// (Dally and Seitz 1987, "Deadlock-free message routing in multiprocessor interconnection
// networks"). Switches are numbered x fastest; a cable's even link goes the positive way.
std::vector<LinkId> dimension_ordered(const Topology& topology, DeviceId from, DeviceId to);

}  // namespace quintet
