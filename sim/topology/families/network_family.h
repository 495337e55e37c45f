// What joins hosts, by family: how a family reads its object in a topology file, and which way it
// routes (how large it gets and how it is built: NetworkRecipe). One file a family, one row in
// network_families.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/topology/recipe/recipe.h"
#include "sim/topology/topology.h"

namespace quintet {

class JsonObject;

struct NetworkFamily {
  std::string_view name;  // the word of files
  // What is wrong stays in the object. Null: there is no network.
  std::unique_ptr<NetworkRecipe> (*read)(JsonObject& network);
  // The links of its own static route between two of its network switches. Null: D-mod-K over the
  // shortest ways, as Router has it.
  std::vector<LinkId> (*way)(const Topology& topology, DeviceId from, DeviceId to) = nullptr;
};

// All there are, "none" first.
std::span<const NetworkFamily* const> network_families();
// The family by whose word the topology was built; the word is one of ours.
const NetworkFamily& family_of(const Topology& topology);
// Its static route, where the topology has one: a grid of which nothing has failed.
inline auto own_way(const Topology& topology) {
  return topology.network.sizes.empty() ? nullptr : family_of(topology).way;
}

// "network" of a topology file: the family's word, the protocol, and the rest as the family reads.
void read_network(JsonObject& network, TopologyRecipe& recipe);

}  // namespace quintet
