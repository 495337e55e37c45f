// Links that a transfer between two rank slots loads. Joins what the layers say of their parts of
// the way: intra_inter who sends it out of the host, host_net how it gets to the wire and what
// processors do for it, network which links it takes.
#pragma once

#include <vector>

#include "sim/host_net/host_path.h"
#include "sim/host_net/processors.h"
#include "sim/network/link_load.h"
#include "sim/network/route/route.h"
#include "sim/plan/plan.h"
#include "sim/price/ways.h"
#include "sim/topology/topology.h"

namespace quintet {

// Keeps what it has found; therefore one thread at a time.
class Paths {
 public:
  // References must outlive this. `ways`: those of the plan.
  Paths(const Plan& plan, const CorePools& cores, Ways& ways)
      : topology_(ways.topology()), plan_(plan), cores_(cores), ways_(ways) {}

  // Into memory that is used again.
  void between(DeviceId from, DeviceId to, Delivery delivery, Route& path) const;
  // The same between hosts, out by the NIC of `leaves`, a slot of the sender's host.
  void by_way_of(DeviceId leaves, DeviceId from, DeviceId to, Delivery delivery, Route& path) const;
  // The same from the host memory beside one slot to that beside the other.
  Route between_host_memories(DeviceId from, DeviceId to) const;

  // Between a slot's memory and its NIC, for what the network's switches add. Empty: it has none.
  Route to_nic(DeviceId slot, Delivery delivery) const;
  Route from_nic(DeviceId slot, Delivery delivery) const;

  // Between a slot's memory and the host's beside it; empty where the graph has no CPU there.
  Route to_host(DeviceId slot) const;
  Route from_host(DeviceId slot) const;

  // Rates that payload can have on every link of the topology, then on the core pools.
  std::vector<LinkShare> link_shares() const;

  const Topology& topology() const { return topology_; }
  const Router& router() const { return ways_.router(); }

 private:
  void between(DeviceId from, DeviceId to, WireMemory memory, Route& path) const;
  DeviceId leaving_slot(DeviceId from, DeviceId to, WireMemory memory) const;
  void wires_between(DeviceId from, DeviceId leaves, DeviceId to, WireMemory memory,
                     Route& path) const;
  Route along(const Ways::HostWay& way) const;
  void append_wire(Route& path, const Ways::HostWay& out, const Ways::HostWay& in) const;
  Route between_inside(DeviceId from, DeviceId to) const;

  const Topology& topology_;
  const Plan& plan_;
  const CorePools& cores_;
  Ways& ways_;
};

}  // namespace quintet
