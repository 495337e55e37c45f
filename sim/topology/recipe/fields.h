// What host and network files have in common.
#pragma once

#include <string>
#include <string_view>

#include "sim/topology/recipe/recipe.h"

namespace quintet {

class JsonObject;
struct FieldKey;

// Refuses what no machine has: it would overflow the clock or the sums.
constexpr Bandwidth largest_bandwidth{1e18};
constexpr Seconds largest_latency{3600.0};
constexpr Watts largest_power{1e9};

// Must be there and not empty. The three after it refuse what is above the largest.
std::string source_of(JsonObject& object);
Bandwidth bounded_bandwidth(JsonObject& object, const FieldKey& key);
Seconds bounded_latency(JsonObject& object, const FieldKey& key);
Watts bounded_power(JsonObject& object, const FieldKey& key);

// {"name", "bandwidth", "latency", "source"}
WireRecipe read_wire(JsonObject& object);
// {"name", "latency", "source"}: the rate is somebody else's
WireRecipe read_latency_only(JsonObject& object);

// The same under a key of the network.
WireRecipe read_wire_of(JsonObject& network, const FieldKey& key,
                        WireRecipe (*read)(JsonObject&) = read_wire);
// {"name", "ports", "power", "source"}
SwitchRecipe read_switch(JsonObject& network, const FieldKey& key);

// The cable between a host's NIC and its switch, by the NIC's rate split over `planes` ports and
// the network's latency.
WireRecipe host_cable(const WireRecipe& nic, const WireRecipe& host_link, int planes);

}  // namespace quintet
