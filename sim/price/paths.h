// Links that a transfer between two rank slots loads. Joins what the layers say of their parts of
// the way: intra_inter who sends it out of the host, host_net how it gets to the wire and what
// processors do for it, network which links it takes.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/host_net/host_path.h"
#include "sim/host_net/processors.h"
#include "sim/network/link_load.h"
#include "sim/network/route/route.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// Keeps the ways inside hosts and the wires that it has found, which many ways share; therefore one
// thread at a time.
class Paths {
 public:
  // References must outlive this.
  Paths(const Topology& topology, const Plan& plan, const CorePools& cores)
      : topology_(topology), plan_(plan), cores_(cores), router_(topology, plan.network) {}

  // Into memory that is used again.
  void between(DeviceId from, DeviceId to, Delivery delivery, Route& path) const;
  // The same between hosts, out by the NIC of `leaves`, a slot of the sender's host.
  void by_way_of(DeviceId leaves, DeviceId from, DeviceId to, Delivery delivery, Route& path) const;
  // The same from the host memory beside one slot to that beside the other.
  Route between_host_memories(DeviceId from, DeviceId to) const;

  // Between a slot's memory and the host's beside it; empty where the graph has no CPU there.
  Route to_host(DeviceId slot) const;
  Route from_host(DeviceId slot) const;

  // Rates that payload can have on every link of the topology, then on the core pools.
  std::vector<LinkShare> link_shares() const;

  const Topology& topology() const { return topology_; }
  const Router& router() const { return router_; }

 private:
  // Between a slot and its NIC, leg by leg; none where the slot has no NIC.
  struct HostWay {
    std::vector<Route> legs;
    DeviceId nic;
    Seconds latency;  // beside the legs'
  };
  using HostWays = std::unordered_map<DeviceId, HostWay>;

  void between(DeviceId from, DeviceId to, WireMemory memory, Route& path) const;
  void wires_between(DeviceId from, DeviceId leaves, DeviceId to, WireMemory memory,
                     Route& path) const;
  const HostWay& host_way(DeviceId slot, WireMemory memory, Direction direction) const;
  HostWay found(const HostPath& host, Direction direction) const;
  const Route& wire(DeviceId from, DeviceId to) const;
  void append_wire(Route& path, const HostWay& out, const HostWay& in) const;
  void append(Route& path, DeviceId from, DeviceId to) const;
  Route way(DeviceId from, DeviceId to) const;

  const Topology& topology_;
  const Plan& plan_;
  const CorePools& cores_;
  Router router_;
  struct Kept {
    std::array<HostWays, 4> host_ways;             // by memory and direction
    std::unordered_map<std::uint64_t, Route> wires;  // by NICs
  };
  mutable Kept kept_;
};

}  // namespace quintet
