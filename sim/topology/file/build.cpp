#include "sim/topology/file/build.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "sim/topology/families/network_family.h"
#include "sim/topology/recipe/device_graph.h"
#include "sim/topology/recipe/hosts.h"

namespace quintet {
namespace {

struct Size {
  std::int64_t hosts = 0, devices = 0, links = 0;
};

Result<Size> size_of(const TopologyRecipe& recipe) {
  Size size;
  size.hosts = hosts_of(recipe);
  for (const HostGroup& group : recipe.groups) {
    const HostSize host = host_size(group.host);
    size.devices += group.count * host.devices;
    size.links += group.count * host.links;
  }
  if (!recipe.network && recipe.oversubscription)
    return Error{"oversubscription", "is of a network, and nothing joins these hosts"};
  if (!recipe.network) return size;
  const Result<NetworkSize> network = recipe.network->size(recipe);
  if (!network) return network.error();
  size.devices += network->devices;
  size.links += network->links;
  return size;
}

std::optional<Error> too_large(const Size& size, const TopologyLimits& limits) {
  if (size.hosts <= limits.devices && size.devices <= limits.devices && size.links <= limits.links)
    return std::nullopt;
  return Error{"hosts",
               fmt::format("the machine would have {} hosts, {} devices and {} links; accepted are "
                           "at most {} and {}",
                           size.hosts, size.devices, size.links, limits.devices, limits.links)};
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

std::optional<Error> not_connected(const DeviceGraph& graph) {
  const auto name = [&](DeviceId id) { return "\"" + graph.devices()[id.index()].name + "\""; };
  const std::optional<DeviceId> cut = graph.unreachable();
  if (!cut) return std::nullopt;
  return Error{"network", "not connected: no way from " + name(DeviceId{0}) + " to " + name(*cut) +
                              " (GPUs do not forward); add links or a network"};
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
      return Error{
          "network",
          fmt::format("host{} has no link to a network switch; add a network or a link", host)};
  return std::nullopt;
}

std::optional<Error> without_slots(const Topology& topology) {
  for (const Host& host : topology.hosts)
    if (!host.gpus.empty()) return std::nullopt;
  return Error{"host", "no host has a GPU or a CPU rank slot, so no rank can live here"};
}

// The first host stands for what ranks share.
std::optional<Error> servers_first(const TopologyRecipe& recipe) {
  const HostRecipe& first = recipe.groups.front().host;
  if (first.family != HostFamily::cpu || first.slots > 0) return std::nullopt;
  return Error{"host_groups", "hosts of 0 slots come after those with places for ranks"};
}

std::optional<Error> first_fault(const DeviceGraph& graph, const TopologyRecipe& recipe,
                                 const Topology& topology) {
  if (auto error = without_slots(topology)) return error;
  if (auto error = servers_first(recipe)) return error;
  if (auto error = host_without_network(graph, topology)) return error;
  if (auto error = not_connected(graph)) return error;
  return recipe.network ? recipe.network->fault(graph) : std::nullopt;
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
  topology.protocol = recipe.protocol;
  DeviceGraph graph;
  add_hosts(graph, recipe, topology);
  if (recipe.network)
    if (const auto error = recipe.network->add(graph, recipe, topology)) return in_file(*error);
  topology.network.family = recipe.family;
  topology.network.reduces = recipe.reduces;
  if (const auto error = first_fault(graph, recipe, topology)) return in_file(*error);
  std::move(graph).freeze_into(topology);
  return topology;
}

}  // namespace quintet
