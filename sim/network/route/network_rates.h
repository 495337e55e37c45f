// What payload gets of network links, and what network a group of ranks has between its hosts.
// Pure.
#pragma once

#include <optional>
#include <span>

#include "sim/base/units.h"
#include "sim/network/route/route.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet {

struct GroupNetwork {
  Bandwidth slowest;  // of the network links on the ways between neighbours, what is left of them
  Seconds longest;    // of these ways
  bool operator==(const GroupNetwork&) const = default;
};

// Between members that follow each other, the last and the first too. Nothing where all are on one
// host.
std::optional<GroupNetwork> group_network(const Topology& topology, const Router& router,
                                          std::span<const DeviceId> slots);

// Share of the raw rate left for payload: MTU / (MTU + 82) for RoCEv2, MTU / (MTU + 26) for
// InfiniBand, MTU / (MTU + 78) for TCP over Ethernet.
double framing_efficiency(NetworkProtocol protocol, int mtu);

// Spraying reaches only a share of it between switches, where packets of several flows collide.
Bandwidth network_link_rate(const Topology& topology, const Network& network, const Link& link);

}  // namespace quintet
