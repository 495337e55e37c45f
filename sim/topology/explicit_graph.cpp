#include "sim/topology/explicit_graph.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace quintet {
namespace {

using Names = std::unordered_map<std::string, DeviceId>;

std::string at(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Names names_of(const DeviceGraph& graph) {
  Names names;
  for (std::size_t i = 0; i < graph.devices().size(); ++i)
    names.emplace(graph.devices()[i].name, id_at<DeviceId>(i));
  return names;
}

// Rank slots and NICs are also listed by their host, numbered in order of appearance.
void enlist(Topology& topology, Device& device, DeviceId id) {
  if (!device.host.valid()) return;
  Host& host = topology.hosts[device.host.index()];
  const bool slot =
      device.kind == DeviceKind::gpu ||
      (device.kind == DeviceKind::cpu && topology.gpu_spec_of_host[device.host.index()] < 0);
  if (!slot && device.kind != DeviceKind::nic) return;
  std::vector<DeviceId>& list = slot ? host.gpus : host.nics;
  device.ordinal = static_cast<int>(list.size());
  list.push_back(id);
}

std::optional<Error> add_device(DeviceGraph& graph, const ListedDevice& listed, Names& names,
                                Topology& topology, std::string place) {
  Device device = listed.device;
  const DeviceId id = id_at<DeviceId>(graph.devices().size());
  if (!names.emplace(device.name, id).second)
    return Error{std::move(place), "the name \"" + device.name + "\" is taken"};
  if (device.host.valid() && device.host.index() >= topology.hosts.size())
    return Error{std::move(place), "host " + std::to_string(device.host.value) +
                                       " does not exist; there are " +
                                       std::to_string(topology.hosts.size())};
  if (device.kind == DeviceKind::gpu && topology.gpu_spec_of_host[device.host.index()] < 0)
    return Error{std::move(place), "a host without a \"gpu\" specification cannot have a GPU"};
  enlist(topology, device, id);
  device.part = graph.part(listed.part);
  graph.add(std::move(device));
  return std::nullopt;
}

std::optional<Error> add_link(DeviceGraph& graph, const ListedLink& link, const Names& names,
                              const std::string& place) {
  const auto from = names.find(link.from);
  const auto to = names.find(link.to);
  if (from == names.end() || to == names.end())
    return Error{place, "there is no device \"" + (from == names.end() ? link.from : link.to) +
                            "\"; devices of hosts are named like \"host0/nic0\""};
  if (from->second == to->second) return Error{place, "joins a device with itself"};
  graph.connect(from->second, to->second, link.kind, link.there, link.back);
  return std::nullopt;
}

}  // namespace

std::optional<Error> add_listed(DeviceGraph& graph, const NetworkRecipe& network,
                                Topology& topology) {
  Names names = names_of(graph);
  for (std::size_t i = 0; i < network.devices.size(); ++i)
    if (auto error = add_device(graph, network.devices[i], names, topology, at("devices", i)))
      return error;
  for (const ListedDevice& listed : network.devices) topology.network_power += listed.power;
  for (std::size_t i = 0; i < network.links.size(); ++i)
    if (auto error = add_link(graph, network.links[i], names, at("links", i))) return error;
  return std::nullopt;
}

}  // namespace quintet
