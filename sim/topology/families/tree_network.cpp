#include "sim/topology/families/tree_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "sim/json/json_fields.h"
#include "sim/topology/recipe/device_graph.h"
#include "sim/topology/recipe/fields.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {
namespace {

struct Plane {
  std::vector<DeviceId> leaves, spines, cores;
};

std::size_t index(int count) {
  return static_cast<std::size_t>(count);
}

class TreeBuilder {
 public:
  TreeBuilder(DeviceGraph& graph, const TreeRecipe& tree, const TreeSize& size)
      : graph_(graph), tree_(tree), size_(size) {}

  Plane plane(int number) {
    Plane built;
    built.leaves = switches(1, "leaf", number, size_.leaves, tree_.leaf);
    built.spines = switches(2, "spine", number, size_.spines(), tree_.spine);
    built.cores = switches(3, "core", number, size_.cores(), tree_.core);
    join_leaves(built);
    join_spines(built);
    return built;
  }

 private:
  std::vector<DeviceId> switches(int tier, const char* name, int plane, std::int64_t count,
                                 const SwitchRecipe& recipe) {
    std::vector<DeviceId> added;
    if (count == 0) return added;
    const PartId part = graph_.part(recipe.part);
    for (int i = 0; i < static_cast<int>(count); ++i) {
      const int number = plane * static_cast<int>(count) + i;
      added.push_back(graph_.add(
          {DeviceKind::network_switch, name + std::to_string(number), {}, number, tier, part}));
    }
    return added;
  }

  void cables(DeviceId below, DeviceId above, int count) {
    for (int i = 0; i < count; ++i) graph_.connect(below, above, LinkKind::network, tree_.trunk);
  }

  void join_leaves(const Plane& plane) {
    const std::size_t spines = index(size_.spines_per_pod);
    for (std::size_t leaf = 0; leaf < plane.leaves.size(); ++leaf)
      for (std::size_t j = 0; j < spines; ++j)
        cables(plane.leaves[leaf], plane.spines[leaf / index(size_.leaves_per_pod) * spines + j],
               size_.spine_cables);
  }

  void join_spines(const Plane& plane) {
    const std::size_t cores = index(size_.cores_per_spine);
    for (std::size_t spine = 0; spine < plane.spines.size(); ++spine)
      for (std::size_t i = 0; i < cores; ++i)
        cables(plane.spines[spine], plane.cores[spine % index(size_.spines_per_pod) * cores + i],
               size_.core_cables);
  }

  DeviceGraph& graph_;
  const TreeRecipe& tree_;
  const TreeSize& size_;
};

std::vector<WireRecipe> host_links(const TopologyRecipe& recipe, const TreeRecipe& tree) {
  std::vector<WireRecipe> links;
  for (const HostGroup& group : recipe.groups)
    links.push_back(host_cable(group.host.nic, tree.host_link, tree.planes));
  return links;
}

std::size_t leaf_of(const TreeRecipe& tree, const TreeSize& size, std::size_t host,
                    std::size_t rail, std::size_t rails, std::size_t endpoint) {
  if (tree.by_rail) return host / index(size.leaf_ports) * rails + rail;
  return endpoint / index(size.leaf_ports);
}

// Rate of the NICs on every leaf of one plane.
std::vector<Bandwidth> attach_hosts(DeviceGraph& graph, const TopologyRecipe& recipe,
                                    const TreeRecipe& tree, const TreeSize& size,
                                    const Topology& topology, const std::vector<Plane>& planes) {
  const std::vector<WireRecipe> wires = host_links(recipe, tree);
  std::vector<Bandwidth> down(index(size.leaves));
  std::size_t endpoint = 0;
  for (std::size_t h = 0; h < topology.hosts.size(); ++h) {
    const Host& host = topology.hosts[h];
    for (std::size_t rail = 0; rail < host.nics.size(); ++rail, ++endpoint) {
      const std::size_t leaf = leaf_of(tree, size, h, rail, host.nics.size(), endpoint);
      const WireRecipe& wire = wires[index(host.spec)];
      for (const Plane& plane : planes)
        graph.connect(host.nics[rail], plane.leaves[leaf], LinkKind::network, wire);
      down[leaf] += wire.bandwidth;
    }
  }
  return down;
}

Bandwidth sum(const std::vector<Bandwidth>& rates) {
  return std::accumulate(rates.begin(), rates.end(), Bandwidth{});
}

std::vector<Bandwidth> capped(std::vector<Bandwidth> rates, Bandwidth most) {
  for (Bandwidth& rate : rates) rate = std::min(rate, most);
  return rates;
}

std::vector<Bandwidth> by_pod(const std::vector<Bandwidth>& leaves, const TreeSize& size) {
  std::vector<Bandwidth> pods(index(size.pods));
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    pods[leaf / index(size.leaves_per_pod)] += leaves[leaf];
  return pods;
}

// What all hosts together can send over the highest tier that two halves of them share; a tier
// carries no more than reaches it from below.
Bandwidth carried(const TreeRecipe& tree, const TreeSize& size, const std::vector<Bandwidth>& down,
                  std::size_t hosts) {
  const bool one_group = tree.by_rail && hosts <= index(size.leaf_ports);
  if (size.tiers == 1 || one_group) return sum(down);
  const std::vector<Bandwidth> leaves = capped(down, tree.trunk.bandwidth * size.leaf_uplinks());
  if (size.pods == 1) return sum(leaves);
  return sum(capped(by_pod(leaves, size),
                    tree.trunk.bandwidth * size.spine_uplinks() * size.spines_per_pod));
}

NetworkShape shape(const TreeRecipe& tree, const TreeSize& size, const std::vector<Bandwidth>& down,
                   std::size_t hosts) {
  const Bandwidth up = tree.trunk.bandwidth * size.leaf_uplinks();
  const Bandwidth busiest = *std::max_element(down.begin(), down.end());
  return {"", size.tiers, size.tiers > 1 ? busiest / up : 1.0,
          carried(tree, size, down, hosts) * (0.5 * size.planes)};
}

Watts power(const TreeRecipe& tree, const TreeSize& size) {
  return size.planes *
         (tree.leaf.power * size.leaves + tree.spine.power * static_cast<double>(size.spines()) +
          tree.core.power * static_cast<double>(size.cores()));
}

std::optional<Error> uneven_nics(const TopologyRecipe& recipe) {
  for (const HostGroup& group : recipe.groups)
    if (group.host.nics != recipe.groups.front().host.nics)
      return Error{"host_groups", "all hosts need equally many NICs in this network"};
  if (recipe.groups.front().host.nics == 0)
    return Error{"host", "the hosts have no NIC to connect; give the host file a \"nic\""};
  return std::nullopt;
}

}  // namespace

Result<TreeSize> TreeNetwork::tree_size_for(const TreeRecipe& tree, int hosts, int nics) const {
  return tree_size(tree, hosts, nics);
}

Result<TreeRecipe> TreeNetwork::tree_for(const TopologyRecipe& recipe) const {
  if (const auto error = uneven_nics(recipe)) return *error;
  if (!recipe.oversubscription) return tree_;
  const HostRecipe& host = recipe.groups.front().host;
  return oversubscribed(tree_, *recipe.oversubscription, hosts_of(recipe), host.nics,
                        host.nic.bandwidth);
}

Result<TreeSize> TreeNetwork::tree_size_of(const TreeRecipe& tree,
                                           const TopologyRecipe& recipe) const {
  Result<TreeSize> size = tree_size_for(tree, hosts_of(recipe), recipe.groups.front().host.nics);
  if (!size) return Error{"network." + size.error().where, size.error().what};
  return size;
}

Result<NetworkSize> TreeNetwork::size(const TopologyRecipe& recipe) const {
  const Result<TreeRecipe> asked = tree_for(recipe);
  if (!asked) return asked.error();
  const Result<TreeSize> tree = tree_size_of(*asked, recipe);
  if (!tree) return tree.error();
  const std::int64_t nics = std::int64_t{hosts_of(recipe)} * recipe.groups.front().host.nics;
  return NetworkSize{tree->switches(), 2 * (tree->trunks() + tree->planes * nics)};
}

std::optional<Error> TreeNetwork::add(DeviceGraph& graph, const TopologyRecipe& recipe,
                                      Topology& topology) const {
  const Result<TreeRecipe> tree = tree_for(recipe);
  if (!tree) return tree.error();
  const Result<TreeSize> size = tree_size_of(*tree, recipe);
  if (!size) return size.error();
  TreeBuilder builder(graph, *tree, *size);
  std::vector<Plane> planes;
  for (int number = 0; number < size->planes; ++number) planes.push_back(builder.plane(number));
  const std::vector<Bandwidth> down = attach_hosts(graph, recipe, *tree, *size, topology, planes);
  topology.network = shape(*tree, *size, down, topology.hosts.size());
  topology.network_power = power(*tree, *size);
  return std::nullopt;
}

TreeRecipe read_tree_parts(JsonObject& network) {
  TreeRecipe tree;
  const auto switch_or = [&](const FieldKey& key, const SwitchRecipe& fallback) {
    return network.has(key) ? read_switch(network, key) : (network.raw(key), fallback);
  };
  tree.leaf = read_switch(
      network, {"switch", "single switch, trees, torus: its kind; of a tree the leaves"});
  tree.spine = switch_or({"spine_switch", "trees: left out, as the tier below"}, tree.leaf);
  tree.core = switch_or({"core_switch", "trees: left out, as the tier below"}, tree.spine);
  tree.host_link = read_wire_of(network, {"host_link", "NIC to switch; the rate is the NIC's"},
                                read_latency_only);
  tree.trunk = read_wire_of(network, {"trunk", "trees: cable between switches"});
  return tree;
}

void read_tree_sizing(JsonObject& network, TreeRecipe& tree) {
  tree.tiers =
      network.integer_or({"tiers", "trees: at most; fewer are built when fewer do"}, 2, 2, 3);
  tree.oversubscription =
      network.number_or({"oversubscription", "trees: leaf ports down / up"}, 1.0);
  if (!(tree.oversubscription > 0.0 && tree.oversubscription <= most_uplinks))
    network.fail(
        "oversubscription",
        fmt::format("expected leaf ports down / up, more than 0 and at most {}", most_uplinks));
  if (const int uplinks = network.integer_or({"leaf_uplinks", "trees: instead of oversubscription"},
                                             0, 1, most_uplinks);
      uplinks > 0)
    tree.leaf_uplinks = uplinks;
  if (tree.leaf_uplinks && network.has("oversubscription"))
    network.fail("leaf_uplinks", "says the same as \"oversubscription\"; give one of them");
}

}  // namespace quintet
