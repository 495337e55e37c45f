// What collectives put on switches that reduce: the NVSwitches of a host, the tree of a network.
#pragma once

#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

// What a head hands to the network and gets back, per byte of the collective. It stands for `share`
// of the buffer; of a scattered or gathered one the group of `ranks` holds one n-th each.
void add_through_network(EdgeSum& sum, CollectiveKind kind, int head, double share, int ranks);

// Messages that wait for one another: up, down, and through the network where there is one.
int switch_hops(CollectiveKind kind, const HostLayout& layout);

}  // namespace quintet
