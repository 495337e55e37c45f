#include "sim/money/inventory.h"

#include <algorithm>

namespace quintet {

namespace {

// Adds `one.count` to what is alike but for the count.
template <class Counted>
void count(std::vector<Counted>& all, const Counted& one) {
  for (Counted& each : all) {
    Counted alike = each;
    alike.count = one.count;
    if (alike == one) {
      each.count += one.count;
      return;
    }
  }
  all.push_back(one);
}

void count_hosts(const Topology& topology, Inventory& all) {
  for (std::size_t i = 0; i < topology.hosts.size(); ++i) {
    const Host& host = topology.hosts[i];
    const int spec = topology.gpu_spec_of_host[i];
    const int gpus = spec < 0 ? 0 : static_cast<int>(host.gpus.size());
    count(all.hosts, {topology.host_specs[static_cast<std::size_t>(host.spec)].name, gpus, 1});
    if (spec < 0) continue;
    const GpuSpec& gpu = topology.gpu_specs[static_cast<std::size_t>(spec)];
    count(all.gpus, {gpu.name, gpu.price, gpus});
  }
}

// The network's cables of a device.
struct Ports {
  int cables = 0;
  Bandwidth all, fastest;
};

Ports ports_of(const Topology& topology, std::size_t device) {
  Ports ports;
  for (const LinkId id : topology.outgoing[device]) {
    const Link& link = topology.link(id);
    if (link.kind != LinkKind::network) continue;
    ++ports.cables;
    ports.all = ports.all + link.bandwidth;
    ports.fastest = std::max(ports.fastest, link.bandwidth);
  }
  return ports;
}

const std::string& part_name(const Topology& topology, const Device& device) {
  return topology.parts[device.part.index()].name;
}

void count_devices(const Topology& topology, Inventory& all) {
  for (std::size_t i = 0; i < topology.devices.size(); ++i) {
    const Device& device = topology.devices[i];
    if (device.kind != DeviceKind::nic && device.kind != DeviceKind::network_switch) continue;
    const Ports ports = ports_of(topology, i);
    if (ports.cables == 0) continue;
    if (device.kind == DeviceKind::nic)
      count(all.nics, {part_name(topology, device), ports.all, 1});
    else
      count(all.switches,
            {part_name(topology, device), device.tier, ports.fastest, ports.cables, 1});
  }
}

void count_cables(const Topology& topology, Inventory& all) {
  for (std::size_t there = 0; there < topology.links.size(); there += 2) {  // 2n + 1 leads back
    const Link& link = topology.links[there];
    if (link.kind != LinkKind::network) continue;
    const bool switches = topology.device(link.from).kind == DeviceKind::network_switch &&
                          topology.device(link.to).kind == DeviceKind::network_switch;
    count(all.cables, {switches, link.bandwidth, 1});
  }
}

}  // namespace

Inventory inventory_of(const Topology& topology) {
  Inventory all;
  count_hosts(topology, all);
  count_devices(topology, all);
  count_cables(topology, all);
  return all;
}

}  // namespace quintet
