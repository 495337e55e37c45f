#include "sim/topology/faults/removal.h"

#include <algorithm>

namespace quintet {
namespace {

int cables(const Topology& topology, DeviceId nic, const std::vector<bool>& gone) {
  int count = 0;
  for (const LinkId link : topology.outgoing[nic.index()])
    count += topology.link(link).kind == LinkKind::network && !gone[link.index()];
  return count;
}

void lose_nics(Topology& topology, std::vector<bool>& gone) {
  const std::vector<bool> none(gone.size(), false);
  for (Host& host : topology.hosts)
    std::erase_if(host.nics, [&](DeviceId nic) {
      const bool dead = cables(topology, nic, none) > 0 && cables(topology, nic, gone) == 0;
      if (!dead) return false;
      ++host.lost_nics;
      for (const LinkId link : topology.outgoing[nic.index()])
        gone[link.index()] = gone[static_cast<std::size_t>(link.value ^ 1)] = true;
      return true;
    });
}

}  // namespace

Topology without_links(Topology topology, std::vector<bool> gone) {
  lose_nics(topology, gone);
  std::vector<Link> left;
  for (std::size_t link = 0; link < gone.size(); ++link)
    if (!gone[link]) left.push_back(topology.links[link]);
  topology.links = std::move(left);
  topology.outgoing.assign(topology.devices.size(), {});
  for (std::size_t i = 0; i < topology.links.size(); ++i)
    topology.outgoing[topology.links[i].from.index()].push_back(id_at<LinkId>(i));
  topology.network.bisection = {};
  topology.network.sizes.clear();  // a grid's own routes: the fabric finds others
  return topology;
}

}  // namespace quintet
