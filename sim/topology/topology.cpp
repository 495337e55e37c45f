#include "sim/topology/topology.h"

#include <algorithm>
#include <cassert>

namespace quintet {
namespace {

std::vector<DeviceId> neighbours(const Topology& topology, DeviceId device, DeviceKind kind) {
  std::vector<DeviceId> found;
  for (const LinkId link : topology.outgoing[device.index()])
    if (topology.device(topology.link(link).to).kind == kind)
      found.push_back(topology.link(link).to);
  return found;
}

DeviceId only(const std::vector<DeviceId>& devices) {
  return devices.empty() ? DeviceId{} : devices.front();
}

// The NIC of `slot` when `slots` share `nics` evenly, both in local order.
DeviceId dealt(const std::vector<DeviceId>& slots, const std::vector<DeviceId>& nics,
               DeviceId slot) {
  const auto place = std::find(slots.begin(), slots.end(), slot);
  if (nics.empty() || place == slots.end()) return {};
  const auto index = static_cast<std::size_t>(place - slots.begin());
  return nics[index * nics.size() / slots.size()];
}

}  // namespace

std::string_view name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::nvswitch:
      return "nvswitch";
    case DeviceKind::pcie_switch:
      return "pcie_switch";
    case DeviceKind::nic:
      return "nic";
    case DeviceKind::network_switch:
      return "network_switch";
  }
  return {};
}

std::string_view name_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return "nvlink";
    case LinkKind::pcie:
      return "pcie";
    case LinkKind::socket:
      return "socket";
    case LinkKind::network:
      return "network";
  }
  return {};
}

std::string_view name_of(NetworkProtocol protocol) {
  switch (protocol) {
    case NetworkProtocol::infiniband:
      return "infiniband";
    case NetworkProtocol::roce:
      return "roce";
    case NetworkProtocol::tcp:
      return "tcp";
  }
  return {};
}

std::string_view name_of(CpuVendor vendor) {
  switch (vendor) {
    case CpuVendor::intel:
      return "intel";
    case CpuVendor::amd:
      return "amd";
    case CpuVendor::arm:
      return "arm";
  }
  return {};
}

bool may_forward(DeviceKind kind) {
  return kind != DeviceKind::gpu;
}

std::vector<DeviceId> rank_slots(const Topology& topology) {
  std::vector<DeviceId> slots;
  for (const Host& host : topology.hosts)
    slots.insert(slots.end(), host.gpus.begin(), host.gpus.end());
  return slots;
}

std::optional<FlopRate> peak_rate(const GpuSpec& gpu, DataType type) {
  for (const PeakRate& peak : gpu.peaks)
    if (peak.type == type) return peak.rate;
  return std::nullopt;
}

DeviceId nic_of(const Topology& topology, DeviceId slot) {
  const Device& device = topology.device(slot);
  for (const DeviceId pcie : neighbours(topology, slot, DeviceKind::pcie_switch)) {
    const std::vector<DeviceId> nics = neighbours(topology, pcie, DeviceKind::nic);
    if (!nics.empty()) return dealt(neighbours(topology, pcie, device.kind), nics, slot);
  }
  if (!device.host.valid()) return {};
  const Host& host = topology.host(device.host);
  return dealt(host.gpus, host.nics, slot);
}

bool has_near_nic(const Topology& topology, DeviceId slot) {
  const std::vector<DeviceId> switches = neighbours(topology, slot, DeviceKind::pcie_switch);
  return std::any_of(switches.begin(), switches.end(), [&](DeviceId pcie) {
    return !neighbours(topology, pcie, DeviceKind::nic).empty();
  });
}

int rail_of(const Topology& topology, DeviceId slot) {
  const DeviceId nic = nic_of(topology, slot);
  return nic.valid() ? topology.device(nic).ordinal : -1;
}

DeviceId cpu_of(const Topology& topology, DeviceId slot) {
  if (topology.device(slot).kind == DeviceKind::cpu) return slot;
  for (const DeviceId pcie : neighbours(topology, slot, DeviceKind::pcie_switch))
    if (const DeviceId cpu = only(neighbours(topology, pcie, DeviceKind::cpu)); cpu.valid())
      return cpu;
  return only(neighbours(topology, slot, DeviceKind::cpu));
}

bool nvswitch_connected(const Topology& topology, DeviceId one, DeviceId other) {
  const auto reaches = [&](const std::vector<DeviceId>& devices, DeviceId wanted) {
    return std::find(devices.begin(), devices.end(), wanted) != devices.end();
  };
  for (const LinkId link : topology.outgoing[one.index()])
    if (topology.link(link).kind == LinkKind::nvlink && topology.link(link).to == other)
      return true;
  for (const DeviceId nvswitch : neighbours(topology, one, DeviceKind::nvswitch))
    if (reaches(neighbours(topology, other, DeviceKind::nvswitch), nvswitch)) return true;
  return false;
}

HeldBack held_between(const Topology& topology, DeviceId from, DeviceId to) {
  HeldBack held;
  for (const HeldSend& each : topology.held_sends) {
    if (each.from != topology.device(from).host || each.to != topology.device(to).host) continue;
    held.by += each.by;
    held.late += each.late;
  }
  return held;
}

}  // namespace quintet
