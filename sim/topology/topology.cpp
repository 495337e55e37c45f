#include "sim/topology/topology.h"

#include <algorithm>
#include <cassert>

namespace quintet {
namespace {

// The NIC of `slot` when `slots` share `nics` evenly, both in local order.
DeviceId dealt(const std::vector<DeviceId>& slots, const std::vector<DeviceId>& nics,
               DeviceId slot) {
  const auto place = std::find(slots.begin(), slots.end(), slot);
  if (nics.empty() || place == slots.end()) return {};
  const auto index = static_cast<std::size_t>(place - slots.begin());
  return nics[index * nics.size() / slots.size()];
}

// The same of all that hang on one PCIe switch, in the order of its links: no list is made of them.
DeviceId dealt(const Topology& topology, DeviceId pcie, DeviceId slot) {
  const DeviceKind kind = topology.device(slot).kind;
  std::size_t slots = 0, nics = 0;
  std::optional<std::size_t> index;
  for (const LinkId link : topology.outgoing[pcie.index()]) {
    const DeviceId to = topology.link(link).to;
    if (to == slot && !index) index = slots;
    if (topology.device(to).kind == kind) ++slots;
    if (topology.device(to).kind == DeviceKind::nic) ++nics;
  }
  if (!index) return {};
  std::size_t left = *index * nics / slots;
  for (const LinkId link : topology.outgoing[pcie.index()]) {
    const DeviceId to = topology.link(link).to;
    if (topology.device(to).kind == DeviceKind::nic && left-- == 0) return to;
  }
  return {};
}

// The first neighbour of a kind; invalid: there is none.
DeviceId first_neighbour(const Topology& topology, DeviceId device, DeviceKind kind) {
  for (const LinkId link : topology.outgoing[device.index()])
    if (const DeviceId to = topology.link(link).to; topology.device(to).kind == kind) return to;
  return {};
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
  for (const LinkId link : topology.outgoing[slot.index()]) {
    const DeviceId pcie = topology.link(link).to;
    if (topology.device(pcie).kind != DeviceKind::pcie_switch) continue;
    if (!first_neighbour(topology, pcie, DeviceKind::nic).valid()) continue;
    return dealt(topology, pcie, slot);
  }
  const HostId at = topology.device(slot).host;
  if (!at.valid()) return {};
  const Host& host = topology.host(at);
  return dealt(host.gpus, host.nics, slot);
}

bool has_near_nic(const Topology& topology, DeviceId slot) {
  const std::vector<LinkId>& links = topology.outgoing[slot.index()];
  return std::any_of(links.begin(), links.end(), [&](LinkId link) {
    const DeviceId pcie = topology.link(link).to;
    return topology.device(pcie).kind == DeviceKind::pcie_switch &&
           first_neighbour(topology, pcie, DeviceKind::nic).valid();
  });
}

int rail_of(const Topology& topology, DeviceId slot) {
  const DeviceId nic = nic_of(topology, slot);
  return nic.valid() ? topology.device(nic).ordinal : -1;
}

DeviceId cpu_of(const Topology& topology, DeviceId slot) {
  if (topology.device(slot).kind == DeviceKind::cpu) return slot;
  for (const LinkId link : topology.outgoing[slot.index()]) {
    const DeviceId pcie = topology.link(link).to;
    if (topology.device(pcie).kind != DeviceKind::pcie_switch) continue;
    if (const DeviceId cpu = first_neighbour(topology, pcie, DeviceKind::cpu); cpu.valid())
      return cpu;
  }
  return first_neighbour(topology, slot, DeviceKind::cpu);
}

bool nvswitch_connected(const Topology& topology, DeviceId one, DeviceId other) {
  for (const LinkId link : topology.outgoing[one.index()])
    if (topology.link(link).kind == LinkKind::nvlink && topology.link(link).to == other)
      return true;
  for (const LinkId link : topology.outgoing[one.index()]) {
    const DeviceId nvswitch = topology.link(link).to;
    if (topology.device(nvswitch).kind != DeviceKind::nvswitch) continue;
    for (const LinkId back : topology.outgoing[other.index()])
      if (topology.link(back).to == nvswitch) return true;
  }
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
