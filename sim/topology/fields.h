// What host and network files have in common.
#pragma once

#include <string>
#include <string_view>

#include "sim/topology/recipe.h"

namespace quintet {

class JsonObject;

// Refuses what no machine has: it would overflow the clock or the sums.
constexpr Bandwidth largest_bandwidth{1e18};
constexpr Seconds largest_latency{3600.0};
constexpr Watts largest_power{1e9};

std::string source_of(JsonObject& object);
Bandwidth bounded_bandwidth(JsonObject& object, std::string_view key);
Seconds bounded_latency(JsonObject& object, std::string_view key);
Watts bounded_power(JsonObject& object, std::string_view key);

// {"name", "bandwidth", "latency", "source"}
WireRecipe read_wire(JsonObject& object);
// {"name", "latency", "source"}: the rate is somebody else's
WireRecipe read_latency_only(JsonObject& object);

}  // namespace quintet
