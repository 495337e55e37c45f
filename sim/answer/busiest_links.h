// Which wires a step keeps busy, in a few lines.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

struct BusyLinks {
  std::string link;          // the busiest of its kind: "host0/gpu0 -> host0/nvswitch0"
  std::string part;          // "NVLink 4 port"
  int alike = 1;             // links of the kind that carry as much, within a thousandth
  Bytes carried;             // by each, payload
  double utilisation = 0.0;  // carried / (rate of the wire x step)
  bool operator==(const BusyLinks&) const = default;
};

// The busiest link of each kind (part and what it joins, both directions), at most `most`, busiest
// first. `carried`: by each link. Links that carry nothing are left out.
std::vector<BusyLinks> busiest_links(const Topology& topology, std::span<const Bytes> carried,
                                     Seconds step, std::size_t most = 3);

}  // namespace quintet
