#include "sim/ccl/nccl/communicator_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace quintet {
namespace {

// 0: no NVIDIA GPU, or nobody said; the newest list of speeds without Blackwell's stands for it.
GpuGeneration generation_of(int sm_version) {
  if (sm_version == 0) return GpuGeneration::hopper;
  if (sm_version >= 100) return GpuGeneration::blackwell;
  if (sm_version >= 90) return GpuGeneration::hopper;
  if (sm_version >= 80) return GpuGeneration::ampere;
  return GpuGeneration::volta;
}

HostCpu cpu_kind(CpuVendor vendor) {
  switch (vendor) {
    case CpuVendor::intel:
      return HostCpu::intel;
    case CpuVendor::amd:
      return HostCpu::amd;
    case CpuVendor::arm:
      return HostCpu::other;
  }
  return HostCpu::other;
}

// Rate of the slot's links of one kind together.
Bandwidth rate_of(const Topology& topology, DeviceId slot, LinkKind kind) {
  Bandwidth rate;
  for (const LinkId id : topology.outgoing[slot.index()])
    if (topology.link(id).kind == kind) rate += topology.link(id).bandwidth;
  return rate;
}

// NVLink 3 and 4 carry 25 GB/s per link and direction; NVLink 5 twice that.
int nvlinks_of(Bandwidth rate, GpuGeneration generation) {
  const double per_link = generation == GpuGeneration::blackwell ? 50e9 : 25e9;
  return static_cast<int>(std::lround(rate.value / per_link));
}

LocalHardware hardware_of(const Topology& topology, const HostLayout& layout,
                          std::size_t among = 0) {
  const std::vector<int>& on_host = layout.hosts[among];
  const auto slot_of = [&](std::size_t local) {
    return layout.slots[static_cast<std::size_t>(on_host[local])];
  };
  const DeviceId slot = slot_of(0);
  const HostId host = topology.device(slot).host;
  const int spec = topology.gpu_spec_of_host[host.index()];
  LocalHardware hardware;
  if (spec >= 0) {
    const int sm_version = topology.gpu_specs[static_cast<std::size_t>(spec)].sm_version;
    hardware.generation = generation_of(sm_version);
    hardware.reducing_switch = sm_version > 0;
  }
  hardware.cpu =
      cpu_kind(topology.host_specs[static_cast<std::size_t>(topology.host(host).spec)].cpu);
  const Bandwidth nvlink = rate_of(topology, slot, LinkKind::nvlink);
  hardware.link = nvlink.value > 0 ? LocalLink::nvlink : LocalLink::pcie;
  hardware.nvswitch = on_host.size() > 1 && nvswitch_connected(topology, slot, slot_of(1));
  hardware.nvlinks = nvlinks_of(nvlink, hardware.generation);
  const Bandwidth pcie = rate_of(topology, slot, LinkKind::pcie);
  if (pcie.value > 0) hardware.pcie = pcie_as_nccl_counts(pcie);
  hardware.in_network = topology.network.reduces;
  const DeviceId nic = nic_of(topology, slot);
  hardware.nics =
      layout.ports.empty() ? layout.nics_per_host : static_cast<int>(layout.ports[among].size());
  if (nic.valid()) hardware.nic = rate_of(topology, nic, LinkKind::network);
  return hardware;
}

ChannelGraph least(const ChannelGraph& one, const ChannelGraph& other) {
  return {std::min(one.channels, other.channels), std::min(one.intra, other.intra),
          std::min(one.inter, other.inter)};
}

CommunicatorShape agreed(CommunicatorShape one, const CommunicatorShape& other) {
  one.generation = std::min(one.generation, other.generation);
  one.link = std::max(one.link, other.link);
  if (one.cpu != other.cpu) one.cpu = HostCpu::amd;
  one.nvswitch = one.nvswitch && other.nvswitch;
  one.ll128 = one.ll128 && other.ll128;
  one.one_nic_owner = one.one_nic_owner && other.one_nic_owner;
  one.same_channels = one.same_channels && other.same_channels;
  one.ring = least(one.ring, other.ring);
  one.tree = least(one.tree, other.tree);
  one.nvls = least(one.nvls, other.nvls);
  return one;
}

}  // namespace

CommunicatorShape communicator_shape(const Topology& topology, const HostLayout& layout) {
  const int ranks = static_cast<int>(layout.slots.size());
  const int nodes = static_cast<int>(layout.hosts.size());
  std::vector<LocalHardware> kinds{hardware_of(topology, layout)};
  const bool differ = topology.host_specs.size() > 1 || !layout.ports.empty();
  for (std::size_t host = 1; differ && host < layout.hosts.size(); ++host)
    if (const LocalHardware hardware = hardware_of(topology, layout, host);
        std::find(kinds.begin(), kinds.end(), hardware) == kinds.end())
      kinds.push_back(hardware);
  CommunicatorShape shape = communicator_shape(ranks, nodes, kinds.front());
  for (std::size_t kind = 1; kind < kinds.size(); ++kind)
    shape = agreed(shape, communicator_shape(ranks, nodes, kinds[kind]));
  return shape;
}

}  // namespace quintet
