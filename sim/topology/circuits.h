// Hosts that circuits join without switches (a patch panel): rings of regular strides over them.
// TopoOpt (Wang et al., NSDI'23, arXiv 2202.00433), section 4: TotientPerms and SelectPermutations.
#pragma once

#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// Steps p from 1 to hosts - 1 for which 0, p, 2p, ... modulo `hosts` visits every host before it is
// back: those that have no divisor in common with `hosts`. Ascending; of one host none.
std::vector<int> totient_strides(int hosts);

// `count` of them, near 1, x, x^2, ... with x^count = hosts, so that few hops reach everybody; each
// once while there are others. Ascending.
std::vector<int> select_strides(int hosts, int count);

// The steps for which a circuit leads from each of the hosts to the one so many further, cyclic,
// and that visit all; as often as there are such circuits side by side. Empty: no circuits.
std::vector<int> ring_strides(const Topology& topology, const std::vector<HostId>& hosts);

}  // namespace quintet
