// What payload gets of a network link.
#pragma once

#include "sim/base/units.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet {

// Share of the raw rate left for payload: MTU / (MTU + 82) for RoCEv2, MTU / (MTU + 26) for
// InfiniBand, MTU / (MTU + 78) for TCP over Ethernet.
double framing_efficiency(NetworkProtocol protocol, int mtu);

// Spraying reaches only a share of it between switches, where packets of several flows collide.
Bandwidth network_link_rate(const Topology& topology, const Network& network, const Link& link);

}  // namespace quintet
