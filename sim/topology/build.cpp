#include "sim/topology/build.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "sim/topology/device_graph.h"
#include "sim/topology/explicit_graph.h"
#include "sim/topology/hosts.h"
#include "sim/topology/tree.h"
#include "sim/topology/tree_network.h"

namespace quintet {
namespace {

struct Size {
  std::int64_t hosts = 0, devices = 0, links = 0, nics = 0;
  std::optional<TreeSize> tree;
};

Size hosts_size(const TopologyRecipe& recipe) {
  Size size;
  size.hosts = hosts_of(recipe);
  for (const HostGroup& group : recipe.groups) {
    const HostSize host = host_size(group.host);
    size.devices += group.count * host.devices;
    size.links += group.count * host.links;
    size.nics += std::int64_t{group.count} * group.host.nics;
  }
  return size;
}

std::optional<Error> uneven_nics(const TopologyRecipe& recipe) {
  for (const HostGroup& group : recipe.groups)
    if (group.host.nics != recipe.groups.front().host.nics)
      return Error{"host_groups", "all hosts need equally many NICs in this network"};
  if (recipe.groups.front().host.nics == 0)
    return Error{"host", "the hosts have no NIC to connect; give the host file a \"nic\""};
  return std::nullopt;
}

Result<TreeSize> one_switch(const TopologyRecipe& recipe, std::int64_t nics) {
  const int ports = recipe.network.leaf.ports;
  if (nics <= ports) return TreeSize{1, 1, ports};
  return Error{"network.switch.ports", std::to_string(nics) + " NICs do not fit on one switch of " +
                                           std::to_string(ports) +
                                           " ports; use a \"fat_tree\" or more ports"};
}

Result<TreeSize> tree_of(const TopologyRecipe& recipe, std::int64_t nics) {
  if (const auto error = uneven_nics(recipe)) return *error;
  if (recipe.network.family == NetworkFamily::single_switch) return one_switch(recipe, nics);
  Result<TreeSize> size =
      tree_size(recipe.network, hosts_of(recipe), recipe.groups.front().host.nics);
  if (!size) return Error{"network." + size.error().where, size.error().what};
  return size;
}

bool has_tree(NetworkFamily family) {
  switch (family) {
    case NetworkFamily::single_switch:
    case NetworkFamily::fat_tree:
    case NetworkFamily::rail_optimised:
      return true;
    case NetworkFamily::none:
    case NetworkFamily::explicit_graph:
      return false;
  }
  return false;
}

Result<Size> size_of(const TopologyRecipe& recipe) {
  Size size = hosts_size(recipe);
  size.devices += static_cast<std::int64_t>(recipe.network.devices.size());
  size.links += 2 * static_cast<std::int64_t>(recipe.network.links.size());
  if (!has_tree(recipe.network.family)) return size;
  const Result<TreeSize> tree = tree_of(recipe, size.nics);
  if (!tree) return tree.error();
  size.tree = *tree;
  size.devices += tree->switches();
  size.links += 2 * (tree->trunks() + tree->planes * size.nics);
  return size;
}

std::optional<Error> too_large(const Size& size, const TopologyLimits& limits) {
  if (size.hosts <= limits.devices && size.devices <= limits.devices && size.links <= limits.links)
    return std::nullopt;
  return Error{"hosts", "the machine would have " + std::to_string(size.hosts) + " hosts, " +
                            std::to_string(size.devices) + " devices and " +
                            std::to_string(size.links) + " links; accepted are at most " +
                            std::to_string(limits.devices) + " and " +
                            std::to_string(limits.links)};
}

void add_hosts(DeviceGraph& graph, const TopologyRecipe& recipe, Topology& topology) {
  int number = 0;
  for (const HostGroup& group : recipe.groups) {
    const int spec = static_cast<int>(topology.host_specs.size());
    topology.host_specs.push_back(group.host.spec);
    int gpu_spec = -1;
    if (group.host.gpu) {
      gpu_spec = static_cast<int>(topology.gpu_specs.size());
      topology.gpu_specs.push_back(*group.host.gpu);
    }
    for (int i = 0; i < group.count; ++i) {
      topology.gpu_spec_of_host.push_back(gpu_spec);
      topology.hosts.push_back(add_host(graph, group.host, number++, spec));
    }
  }
}

std::optional<Error> add_network(DeviceGraph& graph, const TopologyRecipe& recipe, const Size& size,
                                 Topology& topology) {
  if (size.tree) add_tree(graph, recipe, *size.tree, topology);
  if (recipe.network.family != NetworkFamily::explicit_graph) return std::nullopt;
  topology.network.family = NetworkFamily::explicit_graph;
  auto error = add_listed(graph, recipe.network, topology);
  if (error) error->where = "network." + error->where;
  return error;
}

std::optional<Error> not_connected(const DeviceGraph& graph, const Topology& topology) {
  const auto name = [&](DeviceId id) { return "\"" + graph.devices()[id.index()].name + "\""; };
  if (const auto cut = graph.unreachable())
    return Error{"network", "not connected: no way from " + name(DeviceId{0}) + " to " +
                                name(*cut) + " (GPUs do not forward); add links or a network"};
  if (topology.network.family != NetworkFamily::explicit_graph) return std::nullopt;
  if (const auto cut = graph.unreachable_switch())
    return Error{"network.links", "not connected: the switches do not all reach " + name(*cut) +
                                      " over other switches (hosts do not forward)"};
  return std::nullopt;
}

// With more than one host, each needs a cable to a network switch: traffic between hosts passes no
// third host.
std::optional<Error> host_without_network(const DeviceGraph& graph, const Topology& topology) {
  if (topology.hosts.size() < 2) return std::nullopt;
  std::vector<bool> cabled(topology.hosts.size());
  for (const Link& link : graph.links()) {
    const Device& from = graph.devices()[link.from.index()];
    const Device& to = graph.devices()[link.to.index()];
    if (to.kind == DeviceKind::network_switch && from.host.valid())
      cabled[from.host.index()] = true;
  }
  for (std::size_t host = 0; host < cabled.size(); ++host)
    if (!cabled[host])
      return Error{"network", "host" + std::to_string(host) +
                                  " has no link to a network switch; add a network or a link"};
  return std::nullopt;
}

std::optional<Error> without_slots(const Topology& topology) {
  for (const Host& host : topology.hosts)
    if (!host.gpus.empty()) return std::nullopt;
  return Error{"host", "no host has a GPU or a CPU rank slot, so no rank can live here"};
}

std::optional<Error> first_fault(const DeviceGraph& graph, const Topology& topology) {
  if (auto error = without_slots(topology)) return error;
  if (auto error = host_without_network(graph, topology)) return error;
  return not_connected(graph, topology);
}

}  // namespace

Result<Topology> build_topology(const TopologyRecipe& recipe, const std::string& file,
                                const TopologyLimits& limits) {
  const auto in_file = [&](const Error& error) {
    return Error{file + ": " + error.where, error.what};
  };
  const Result<Size> size = size_of(recipe);
  if (!size) return in_file(size.error());
  if (const auto error = too_large(*size, limits)) return in_file(*error);
  Topology topology;
  topology.name = recipe.name;
  topology.description = recipe.description;
  topology.protocol = recipe.network.protocol;
  DeviceGraph graph;
  add_hosts(graph, recipe, topology);
  if (const auto error = add_network(graph, recipe, *size, topology)) return in_file(*error);
  if (const auto error = first_fault(graph, topology)) return in_file(*error);
  std::move(graph).freeze_into(topology);
  return topology;
}

}  // namespace quintet
