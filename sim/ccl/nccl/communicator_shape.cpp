#include "sim/ccl/nccl/communicator_shape.h"

#include <cmath>

namespace quintet {
namespace {

GpuGeneration generation_of(int sm_version) {
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

LocalHardware hardware_of(const Topology& topology, const HostLayout& layout) {
  const std::vector<int>& on_host = layout.hosts.front();
  const auto slot_of = [&](std::size_t local) {
    return layout.slots[static_cast<std::size_t>(on_host[local])];
  };
  const DeviceId slot = slot_of(0);
  const HostId host = topology.device(slot).host;
  const int spec = topology.gpu_spec_of_host[host.index()];
  LocalHardware hardware;
  if (spec >= 0)
    hardware.generation =
        generation_of(topology.gpu_specs[static_cast<std::size_t>(spec)].sm_version);
  hardware.cpu =
      cpu_kind(topology.host_specs[static_cast<std::size_t>(topology.host(host).spec)].cpu);
  const Bandwidth nvlink = rate_of(topology, slot, LinkKind::nvlink);
  hardware.link = nvlink.value > 0 ? LocalLink::nvlink : LocalLink::pcie;
  hardware.nvswitch = on_host.size() > 1 && nvswitch_connected(topology, slot, slot_of(1));
  hardware.nvlinks = nvlinks_of(nvlink, hardware.generation);
  const Bandwidth pcie = rate_of(topology, slot, LinkKind::pcie);
  if (pcie.value > 0) hardware.pcie = pcie_as_nccl_counts(pcie);
  const DeviceId nic = nic_of(topology, slot);
  hardware.nics = layout.nics_per_host;
  if (nic.valid()) hardware.nic = rate_of(topology, nic, LinkKind::network);
  return hardware;
}

}  // namespace

CommunicatorShape communicator_shape(const Topology& topology, const HostLayout& layout) {
  return communicator_shape(static_cast<int>(layout.slots.size()),
                            static_cast<int>(layout.hosts.size()), hardware_of(topology, layout));
}

}  // namespace quintet
