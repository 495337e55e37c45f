// Network files of ASTRA-sim's packet-level back ends: what they say is read, and they are refused
// for a simulation by ASTRA-sim's analytical rules, which know no packets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

// ns-3's logical dimensions: {"logical-dims": ["8", "2"]}. Wires stand in ns-3's own files.
Result<std::vector<int>> ns3_dimensions_of(const std::string& text, const std::string& where);

// htsim's tiers of a fat tree, from the hosts up.
struct HtsimTier {
  Bandwidth down;          // of a link towards the hosts
  Seconds latency;         // of such a link
  int radix_down = 0;      // links down of a switch
  int radix_up = 0;        // 0: the top
  int bundle = 1;          // cables side by side
  int oversubscribed = 1;  // as the file says; 1 where it does not
  bool operator==(const HtsimTier&) const = default;
};
struct HtsimTopology {
  int nodes = 0, pod_size = 0;
  std::vector<HtsimTier> tiers;
  bool operator==(const HtsimTopology&) const = default;
};
// Errors name the line.
Result<HtsimTopology> htsim_topology_of(const std::string& text, const std::string& where);

// Why a file of one of them is no network of the analytical back ends; nothing where it is none of
// them.
std::optional<Error> other_network(const std::string& text, const std::string& where);

}  // namespace quintet
