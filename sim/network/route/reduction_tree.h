// The tree on which switches add what NICs send (SHARP's aggregation tree, SwitchML's hierarchy of
// racks): sums of one share of a buffer cross each of its links once, whatever the number of NICs
// below, and so do results on the way back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// Links towards the root, the NICs' own cables among them, each once, in order. The root is the
// switch with the fewest links between it and the NICs' switches, all together; of several, and of
// parallel ways, `number` chooses one, so that trees of different shares spread. Empty where no
// switch reaches all.
std::vector<LinkId> reduction_tree(const Topology& topology, std::span<const DeviceId> nics,
                                   std::uint64_t number);

// The longest way of a NIC's bytes to the root along such links.
Seconds depth_of(const Topology& topology, const std::vector<LinkId>& tree);

// The other direction of a link.
inline LinkId reverse_of(LinkId link) {
  return LinkId{link.value ^ 1};
}

}  // namespace quintet
