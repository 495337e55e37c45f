#include "sim/intra_inter/rails.h"

#include <cassert>
#include <cstddef>

#include "sim/topology/host_layout.h"

namespace quintet {
namespace {

// It lost its NIC: another's is dealt to it.
bool is_orphan(const Topology& topology, DeviceId slot) {
  const HostId host = topology.device(slot).host;
  return topology.host(host).lost_nics > 0 && !has_near_nic(topology, slot);
}

int own_rail(const Topology& topology, DeviceId slot) {
  return is_orphan(topology, slot) ? -1 : rail_of(topology, slot);
}

std::vector<RailOwner> reachable_from(const Topology& topology, DeviceId from) {
  const std::vector<DeviceId>& slots = topology.host(topology.device(from).host).gpus;
  std::vector<RailOwner> owners;
  for (std::size_t local = 0; local < slots.size(); ++local)
    if (slots[local] == from || nvswitch_connected(topology, from, slots[local]))
      owners.push_back({static_cast<int>(local), own_rail(topology, slots[local])});
  return owners;
}

}  // namespace

int sending_local(Forwarding forwarding, const RailOwner& sender, int destination_rail,
                  const std::vector<RailOwner>& reachable) {
  if (forwarding == Forwarding::none || destination_rail < 0 || sender.rail == destination_rail)
    return sender.local;
  std::vector<int> owners;
  for (const RailOwner& neighbour : reachable)
    if (neighbour.rail == destination_rail) owners.push_back(neighbour.local);
  // A sender without a rail goes by any.
  if (owners.empty() && sender.rail < 0)
    for (const RailOwner& neighbour : reachable)
      if (neighbour.rail >= 0) owners.push_back(neighbour.local);
  if (owners.empty()) return sender.local;
  return owners[static_cast<std::size_t>(sender.local) % owners.size()];
}

DeviceId sending_slot(const Topology& topology, Forwarding forwarding, DeviceId from, DeviceId to) {
  assert(topology.device(from).host != topology.device(to).host);
  const RailOwner sender{seat_of(topology, from).local, own_rail(topology, from)};
  const int destination = rail_of(topology, to);
  if (forwarding == Forwarding::none || sender.rail == destination) return from;
  const int local = sending_local(forwarding, sender, destination, reachable_from(topology, from));
  return topology.host(topology.device(from).host).gpus[static_cast<std::size_t>(local)];
}

Route to_switch(const Topology& topology, DeviceId slot) {
  Route way;
  for (const LinkId id : topology.outgoing[slot.index()])
    if (topology.link(id).kind == LinkKind::nvlink) way.links.push_back({id, 1.0});
  for (RouteShare& use : way.links) use.share /= static_cast<double>(way.links.size());
  return way;
}

// Every wire is two links with neighbouring ids.
Route from_switch(const Topology& topology, DeviceId slot) {
  Route way = to_switch(topology, slot);
  for (RouteShare& use : way.links) use.link = LinkId{use.link.value ^ 1};
  return way;
}

}  // namespace quintet
