#include "sim/price/group_shape.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

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

// NVLink 3 and 4 carry 25 GB/s per link and direction; NVLink 5 twice that (models.md 3.2).
int nvlinks_of(Bandwidth rate, GpuGeneration generation) {
  const double per_link = generation == GpuGeneration::blackwell ? 50e9 : 25e9;
  return static_cast<int>(std::lround(rate.value / per_link));
}

LocalHardware hardware_of(const Topology& topology, const std::vector<DeviceId>& on_host,
                          int nics) {
  const DeviceId slot = on_host.front();
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
  hardware.nvswitch = on_host.size() > 1 && nvswitch_connected(topology, on_host[0], on_host[1]);
  hardware.nvlinks = nvlinks_of(nvlink, hardware.generation);
  const Bandwidth pcie = rate_of(topology, slot, LinkKind::pcie);
  if (pcie.value > 0) hardware.pcie = pcie_as_nccl_counts(pcie);
  const DeviceId nic = nic_of(topology, slot);
  hardware.nics = nics;
  if (nic.valid()) hardware.nic = rate_of(topology, nic, LinkKind::network);
  return hardware;
}

int nics_used(const Topology& topology, const std::vector<DeviceId>& on_host) {
  std::set<DeviceId> nics;
  for (const DeviceId slot : on_host)
    if (const DeviceId nic = nic_of(topology, slot); nic.valid()) nics.insert(nic);
  return std::max(1, static_cast<int>(nics.size()));
}

}  // namespace

GroupShape group_shape(const Topology& topology, const std::vector<DeviceId>& slots,
                       const std::vector<Rank>& members) {
  GroupShape shape;
  std::map<HostId, std::size_t> numbers;
  std::vector<std::vector<DeviceId>> on_hosts;
  for (std::size_t position = 0; position < members.size(); ++position) {
    const DeviceId slot = slots[members[position].index()];
    shape.gpus &= topology.device(slot).kind == DeviceKind::gpu;
    const auto [found, fresh] = numbers.emplace(topology.device(slot).host, numbers.size());
    if (fresh) {
      shape.layout.hosts.emplace_back();
      on_hosts.emplace_back();
    }
    shape.layout.hosts[found->second].push_back(static_cast<int>(position));
    on_hosts[found->second].push_back(slot);
  }
  shape.layout.nics_per_host = nics_used(topology, on_hosts.front());
  shape.tuner =
      communicator_shape(static_cast<int>(members.size()), shape.hosts(),
                         hardware_of(topology, on_hosts.front(), shape.layout.nics_per_host));
  return shape;
}

}  // namespace quintet
