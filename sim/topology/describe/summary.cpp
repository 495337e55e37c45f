#include <algorithm>
#include <map>
#include <tuple>

#include "sim/topology/describe/bisection.h"
#include "sim/topology/describe/describe.h"
#include "sim/topology/describe/paths.h"

namespace quintet {
namespace {

std::vector<DeviceCount> count_devices(const Topology& topology) {
  std::map<std::pair<DeviceKind, int>, int> counts;
  for (const Device& device : topology.devices) ++counts[{device.kind, device.tier}];
  std::vector<DeviceCount> listed;
  for (const auto& [key, count] : counts) listed.push_back({key.first, key.second, count});
  return listed;
}

std::vector<LinkCount> count_links(const Topology& topology) {
  std::map<std::tuple<LinkKind, PartId, double, double>, int> directions;
  for (const Link& link : topology.links)
    ++directions[{link.kind, link.part, link.rate().value, link.latency.value}];
  std::vector<LinkCount> listed;
  for (const auto& [key, count] : directions) {
    const auto& [kind, part, bandwidth, latency] = key;
    listed.push_back({kind, Bandwidth{bandwidth}, Seconds{latency}, part, count});
  }
  return listed;
}

void add_power_and_price(const Topology& topology, TopologySummary& summary) {
  for (std::size_t i = 0; i < topology.hosts.size(); ++i) {
    const Host& host = topology.hosts[i];
    summary.host_power += topology.host_specs[static_cast<std::size_t>(host.spec)].power;
    const int spec = topology.gpu_spec_of_host[i];
    if (spec < 0) continue;
    const GpuSpec& gpu = topology.gpu_specs[static_cast<std::size_t>(spec)];
    summary.gpu_power += gpu.power * static_cast<double>(host.gpus.size());
    summary.price += gpu.price * static_cast<double>(host.gpus.size());
  }
}

}  // namespace

TopologySummary summary(const Topology& topology) {
  TopologySummary summary;
  summary.hosts = static_cast<int>(topology.hosts.size());
  for (const Host& host : topology.hosts) summary.slots += static_cast<int>(host.gpus.size());
  summary.devices = count_devices(topology);
  summary.links = count_links(topology);
  summary.network = topology.network;
  summary.bisection_by_flow = bisection_by_flow(topology);
  summary.diameter = network_diameter(topology);
  summary.network_power = topology.network_power;
  add_power_and_price(topology, summary);
  return summary;
}

std::optional<DeviceId> device_named(const Topology& topology, std::string_view name) {
  const auto found = std::find_if(topology.devices.begin(), topology.devices.end(),
                                  [&](const Device& device) { return device.name == name; });
  if (found == topology.devices.end()) return std::nullopt;
  return id_at<DeviceId>(static_cast<std::size_t>(found - topology.devices.begin()));
}

}  // namespace quintet
