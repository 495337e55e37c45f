#include "sim/host_net/host_path.h"

#include <algorithm>

namespace quintet {

HostPath host_path(const Topology& topology, DeviceId slot, WireMemory memory,
                   Direction direction) {
  HostPath path;
  const DeviceId nic = nic_of(topology, slot);
  if (!nic.valid()) return path;
  path.waypoints = {slot, nic};
  const DeviceId cpu = cpu_of(topology, slot);
  const bool through_host = memory == WireMemory::host && cpu.valid() && cpu != slot;
  if (through_host) {
    path.waypoints = {slot, cpu, nic};
    path.latency = Seconds{5e-6};
  }
  if (direction == Direction::from_wire) std::reverse(path.waypoints.begin(), path.waypoints.end());
  return path;
}

HostPath host_path(const Topology& topology, DeviceId slot, Delivery delivery,
                   Direction direction) {
  return host_path(topology, slot, row_of(delivery).memory, direction);
}

HostPath memory_path(const Topology& topology, DeviceId slot, Direction direction) {
  HostPath path = host_path(topology, slot, WireMemory::host, direction);
  if (path.waypoints.size() != 3) return {};
  path.waypoints.erase(direction == Direction::to_wire ? path.waypoints.begin()
                                                       : path.waypoints.end() - 1);
  return path;
}

bool uses_kernel(Delivery delivery) {
  return row_of(delivery).driver == Driver::kernels;
}

double link_efficiency(LinkKind kind, int sm_version) {
  switch (kind) {
    case LinkKind::nvlink:
      return sm_version >= 90 || sm_version == 0 ? 20.6 / 25.0 : 20.0 / 25.0;
    case LinkKind::pcie:
      return 256.0 / 280.0;
    case LinkKind::socket:
    case LinkKind::network:
      return 1.0;
  }
  return 1.0;
}

Bandwidth host_link_rate(const Topology& topology, const Link& link) {
  const HostId host = topology.device(link.from).host;
  const int spec = host.valid() ? topology.gpu_spec_of_host[host.index()] : -1;
  const int sm_version =
      spec < 0 ? 0 : topology.gpu_specs[static_cast<std::size_t>(spec)].sm_version;
  return link_efficiency(link.kind, sm_version) * link.rate();
}

Delivery delivery_of(const HostNet& host_net, Axis axis) {
  return axis == Axis::pipeline ? host_net.pipeline_delivery.value_or(host_net.delivery)
                                : host_net.delivery;
}

}  // namespace quintet
