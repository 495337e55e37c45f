// How a byte gets from a GPU (or CPU rank) to the wire, and back (layer 4, consequences).
#pragma once

#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/plan/delivery.h"
#include "sim/topology/topology.h"

namespace quintet {

enum class Direction { to_wire, from_wire };

struct HostPath {
  // Devices the data passes through memory of or is pinned to, in order; shortest paths join them.
  // From GPU memory: slot, NIC. From host memory: slot, CPU, NIC, so both PCIe crossings are
  // loaded. Empty when the host has no NIC.
  std::vector<DeviceId> waypoints;
  Seconds latency;  // per message, on top of what the links add
  bool operator==(const HostPath&) const = default;
};

// Staging adds half of 10 us at each end: pipelined by slices of 512 KiB - 1 MiB it costs 5-15 us
// in all and runs at its slowest stage's rate (a pipeline of copies). A delegate adds the same
// (PipeMorph, arXiv 2504.19232 section 4.4).
HostPath host_path(const Topology& topology, DeviceId slot, WireMemory memory, Direction direction);
HostPath host_path(const Topology& topology, DeviceId slot, Delivery delivery, Direction direction);

// A delegate's way that begins or ends in the host memory beside the slot. Empty when the graph has
// no CPU there, or no NIC.
HostPath memory_path(const Topology& topology, DeviceId slot, Direction direction);

// Whether communication kernels on the GPU's SMs drive it: not where a CPU sends in their place
// (PipeMorph).
bool uses_kernel(Delivery delivery);

// What payload gets of the raw rate of a link inside a host:
//   PCIe    256-byte payloads under 24 bytes of header: 256/280 (PCI Express, TLPs)
//   NVLink  what NCCL counts per link over the vendor's 25 GB/s: 20.6/25 (NCCL src/graph/topo.h,
//   sm_90), 20/25 below
double link_efficiency(LinkKind kind, int sm_version);
Bandwidth host_link_rate(const Topology& topology, const Link& link);

// Delivery of one axis' traffic: sends between pipeline stages may have their own.
Delivery delivery_of(const HostNet& host_net, Axis axis);

}  // namespace quintet
