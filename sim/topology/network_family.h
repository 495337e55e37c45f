// What joins hosts, by family: how a family reads its object in a topology file, how large it gets,
// how it is built, which way it routes. One file a family, one row in network_families.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet {

class DeviceGraph;
class JsonObject;
struct TopologyRecipe;

// What a network adds to its hosts; links count one direction each.
struct NetworkSize {
  std::int64_t devices = 0, links = 0;
};

// One network as a file describes it. Errors name the field inside the topology file.
class NetworkRecipe {
 public:
  virtual ~NetworkRecipe() = default;

  // Known before anything is allocated.
  virtual Result<NetworkSize> size(const TopologyRecipe& recipe) const = 0;
  // Cables the hosts, which are in the graph already; says what shape and power the network has.
  virtual std::optional<Error> add(DeviceGraph& graph, const TopologyRecipe& recipe,
                                   Topology& topology) const = 0;
  // What is wrong with the finished graph beside what would be wrong in any.
  virtual std::optional<Error> fault(const DeviceGraph&) const { return std::nullopt; }
  // The file lists single devices, so that it holds for one number of hosts only.
  virtual bool lists_devices() const { return false; }
};

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
const NetworkFamily& family_of(const Topology& topology);

// "network" of a topology file: the family's word, the protocol, and the rest as the family reads.
void read_network(JsonObject& network, TopologyRecipe& recipe);

}  // namespace quintet
