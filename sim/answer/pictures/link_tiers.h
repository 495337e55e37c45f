// A machine's links tier by tier, by what a step puts on them.
#pragma once

#include <span>

#include "sim/picture/load_tiers.h"
#include "sim/topology/topology.h"

namespace quintet {

// From the spines down into the hosts; both directions of a cable are links of their own.
// `carried`: by each link. Tiers that carry nothing are left out.
LoadTiers link_tiers(const Topology& topology, std::span<const Bytes> carried, Seconds step);

}  // namespace quintet
