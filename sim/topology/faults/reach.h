// Who can still reach whom when parts of a network have failed. Inside the room only.
#pragma once

#include <optional>
#include <string>

#include "sim/topology/topology.h"

namespace quintet {

// "ranks 0-7 (host0) cannot reach ranks 8-15 (host1)"; nothing where all NICs that are left reach
// each other and every host has one. Ranks are named by their places: rank i in place i.
std::optional<std::string> cut_off(const Topology& topology);

}  // namespace quintet
