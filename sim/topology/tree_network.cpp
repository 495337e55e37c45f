#include "sim/topology/tree_network.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

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
  TreeBuilder(DeviceGraph& graph, const NetworkRecipe& network, const TreeSize& size)
      : graph_(graph), network_(network), size_(size) {}

  Plane plane(int number) {
    Plane built;
    built.leaves = switches(1, "leaf", number, size_.leaves, network_.leaf);
    built.spines = switches(2, "spine", number, size_.spines(), network_.spine);
    built.cores = switches(3, "core", number, size_.cores(), network_.core);
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
    for (int i = 0; i < count; ++i) graph_.connect(below, above, LinkKind::network, network_.trunk);
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
  const NetworkRecipe& network_;
  const TreeSize& size_;
};

// The NIC's rate and part, the network's latency; a NIC with several ports splits its rate.
std::vector<WireRecipe> host_links(const TopologyRecipe& recipe) {
  std::vector<WireRecipe> links;
  for (const HostGroup& group : recipe.groups) {
    const WireRecipe& nic = group.host.nic;
    const WireRecipe& link = recipe.network.host_link;
    links.push_back({nic.bandwidth / recipe.network.tree.planes,
                     link.latency,
                     {nic.part.name + " to leaf: " + link.part.name,
                      "rate: " + nic.part.source + "; latency: " + link.part.source}});
  }
  return links;
}

std::size_t leaf_of(NetworkFamily family, const TreeSize& size, std::size_t host, std::size_t rail,
                    std::size_t rails, std::size_t endpoint) {
  if (family == NetworkFamily::rail_optimised) return host / index(size.leaf_ports) * rails + rail;
  return endpoint / index(size.leaf_ports);
}

// Rate of the NICs on every leaf of one plane.
std::vector<Bandwidth> attach_hosts(DeviceGraph& graph, const TopologyRecipe& recipe,
                                    const TreeSize& size, const Topology& topology,
                                    const std::vector<Plane>& planes) {
  const std::vector<WireRecipe> wires = host_links(recipe);
  std::vector<Bandwidth> down(index(size.leaves));
  std::size_t endpoint = 0;
  for (std::size_t h = 0; h < topology.hosts.size(); ++h) {
    const Host& host = topology.hosts[h];
    for (std::size_t rail = 0; rail < host.nics.size(); ++rail, ++endpoint) {
      const std::size_t leaf =
          leaf_of(recipe.network.family, size, h, rail, host.nics.size(), endpoint);
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
Bandwidth carried(const NetworkRecipe& network, const TreeSize& size,
                  const std::vector<Bandwidth>& down, std::size_t hosts) {
  const bool one_group =
      network.family == NetworkFamily::rail_optimised && hosts <= index(size.leaf_ports);
  if (size.tiers == 1 || one_group) return sum(down);
  const std::vector<Bandwidth> leaves = capped(down, network.trunk.bandwidth * size.leaf_uplinks());
  if (size.pods == 1) return sum(leaves);
  return sum(capped(by_pod(leaves, size),
                    network.trunk.bandwidth * size.spine_uplinks() * size.spines_per_pod));
}

NetworkShape shape(const NetworkRecipe& network, const TreeSize& size,
                   const std::vector<Bandwidth>& down, std::size_t hosts) {
  const Bandwidth up = network.trunk.bandwidth * size.leaf_uplinks();
  const Bandwidth busiest = *std::max_element(down.begin(), down.end());
  return {network.family, size.tiers, size.tiers > 1 ? busiest / up : 1.0,
          carried(network, size, down, hosts) * (0.5 * size.planes)};
}

Watts power(const NetworkRecipe& network, const TreeSize& size) {
  return size.planes * (network.leaf.power * size.leaves +
                        network.spine.power * static_cast<double>(size.spines()) +
                        network.core.power * static_cast<double>(size.cores()));
}

}  // namespace

void add_tree(DeviceGraph& graph, const TopologyRecipe& recipe, const TreeSize& size,
              Topology& topology) {
  TreeBuilder builder(graph, recipe.network, size);
  std::vector<Plane> planes;
  for (int number = 0; number < size.planes; ++number) planes.push_back(builder.plane(number));
  const std::vector<Bandwidth> down = attach_hosts(graph, recipe, size, topology, planes);
  topology.network = shape(recipe.network, size, down, topology.hosts.size());
  topology.network_power = power(recipe.network, size);
}

}  // namespace quintet
