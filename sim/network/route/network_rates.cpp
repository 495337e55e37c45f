#include "sim/network/route/network_rates.h"

#include <algorithm>
#include <limits>

namespace quintet {
namespace {

// Bytes beside the payload of one packet (RoCEv2 and TCP: preamble and gap
// included). TCP: preamble and start 8, Ethernet 14 +
// 4, gap 12, IPv4 20, TCP 20.
double header_bytes(NetworkProtocol protocol) {
  switch (protocol) {
    case NetworkProtocol::infiniband:
      return 26.0;
    case NetworkProtocol::roce:
      return 82.0;
    case NetworkProtocol::tcp:
      return 78.0;
  }
  return 0.0;
}

}  // namespace

std::optional<GroupNetwork> group_network(const Topology& topology, const Router& router,
                                          std::span<const DeviceId> slots) {
  GroupNetwork network{{std::numeric_limits<double>::infinity()}, {}};
  bool crosses = false;
  for (std::size_t place = 0; place < slots.size(); ++place) {
    const DeviceId from = slots[place], to = slots[(place + 1) % slots.size()];
    if (topology.device(from).host == topology.device(to).host) continue;
    crosses = true;
    const Route route = router.route(from, to);
    for (const RouteShare& use : route.links)
      if (topology.link(use.link).kind == LinkKind::network)
        network.slowest = std::min(network.slowest, topology.link(use.link).rate());
    network.longest = std::max(network.longest, route.latency);
  }
  if (!crosses) return std::nullopt;
  return network;
}

double framing_efficiency(NetworkProtocol protocol, int mtu) {
  return mtu / (mtu + header_bytes(protocol));
}

Bandwidth network_link_rate(const Topology& topology, const Network& network, const Link& link) {
  const bool between_switches = topology.device(link.from).kind == DeviceKind::network_switch &&
                                topology.device(link.to).kind == DeviceKind::network_switch;
  const bool sprayed = between_switches && network.routing == Routing::spray;
  return (sprayed ? network.spray_efficiency : 1.0) *
         (framing_efficiency(topology.protocol, network.mtu) * link.rate());
}

}  // namespace quintet
