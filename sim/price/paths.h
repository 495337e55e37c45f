// Links that a transfer between two rank slots loads: inside a host over NVLink or PCIe, between
// hosts through host path, NIC and fabric, and the cores of ranks without GPUs. Joins intra_inter,
// host_net and network.
#pragma once

#include <vector>

#include "sim/host_net/host_path.h"
#include "sim/network/fluid/fair_share.h"
#include "sim/network/route/route.h"
#include "sim/plan/plan.h"
#include "sim/price/core_pools.h"
#include "sim/topology/topology.h"

namespace quintet {

struct Path {
  std::vector<RouteShare> links;  // a link may appear twice (forwarding); shares add
  Seconds latency;
  bool crosses_hosts = false;
};

class Paths {
 public:
  // References must outlive this.
  Paths(const Topology& topology, const Plan& plan, const CorePools& cores)
      : topology_(topology), plan_(plan), cores_(cores), router_(topology, plan.network) {}

  Path between(DeviceId from, DeviceId to, Delivery delivery) const;
  // The same from the host memory beside one slot to that beside the other.
  Path between_host_memories(DeviceId from, DeviceId to) const;
  // A GPU's way to the NVSwitches of its host, spread over all of them, or back.
  Path to_switch(DeviceId slot) const;
  Path from_switch(DeviceId slot) const;

  // Rates that payload can have on every link of the topology, then on the core pools.
  std::vector<LinkShare> link_shares() const;

 private:
  Path wires_between(DeviceId from, DeviceId to, Delivery delivery) const;
  void append(Path& path, DeviceId from, DeviceId to, int queue_pairs) const;
  void append_wire(Path& path, const HostPath& out, const HostPath& in) const;

  const Topology& topology_;
  const Plan& plan_;
  const CorePools& cores_;
  Router router_;
};

}  // namespace quintet
