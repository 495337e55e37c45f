// How many ports of a leaf lead up where what hangs on it is to have a given multiple of the rate
// of its uplinks (TopologyRecipe::oversubscription). Numbers only.
#pragma once

#include <optional>

#include "sim/base/result.h"

namespace quintet {

struct LeafPorts {
  int down = 0, up = 0;
  bool operator==(const LeafPorts&) const = default;
};

struct LeafChoice {
  int ports = 0;              // of the leaf
  int reserved = 0;           // ports that lead down, in use or not
  std::optional<int> down{};  // as many are in use; otherwise the most that the ports allow
  int step = 1;               // uplinks come in multiples of it
  double rate = 1;            // of a port down over one up
};

// rate * down / up is the ratio. The error names the nearest ratios that the ports allow.
Result<LeafPorts> leaf_ports(double ratio, const LeafChoice& choice);

}  // namespace quintet
