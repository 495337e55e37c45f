#include "sim/network/route/group_network.h"

#include <algorithm>
#include <limits>

namespace quintet {

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
        network.slowest = std::min(network.slowest, topology.link(use.link).bandwidth);
    network.longest = std::max(network.longest, route.latency);
  }
  if (!crosses) return std::nullopt;
  return network;
}

}  // namespace quintet
