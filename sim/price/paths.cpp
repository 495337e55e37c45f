#include "sim/price/paths.h"

#include "sim/intra_inter/rails.h"
#include "sim/network/route/network_rates.h"
#include "sim/topology/host_layout.h"

namespace quintet {

namespace {

void join(Route& path, const Route& leg) {
  path.links.insert(path.links.end(), leg.links.begin(), leg.links.end());
  path.latency += leg.latency;
}

}  // namespace

void Paths::between(DeviceId from, DeviceId to, Delivery delivery, Route& path) const {
  between(from, to, row_of(delivery).memory, path);
}

void Paths::between(DeviceId from, DeviceId to, WireMemory memory, Route& path) const {
  wires_between(from, leaving_slot(from, to, memory), to, memory, path);
  cores_.load_ends(path, from, to);
}

// Nobody forwards between NICs of one number on hosts that have all their NICs.
DeviceId Paths::leaving_slot(DeviceId from, DeviceId to, WireMemory memory) const {
  if (same_host(topology_, from, to)) return from;
  if (topology_.host(topology_.device(from).host).lost_nics == 0) {
    const DeviceId out = ways_.host_way(from, memory, Direction::to_wire).nic;
    const DeviceId in = ways_.host_way(to, memory, Direction::from_wire).nic;
    const bool one_rail =
        out.valid() && in.valid() && topology_.device(out).ordinal == topology_.device(in).ordinal;
    if (one_rail) return from;
  }
  return sending_slot(topology_, plan_.intra_inter.forwarding, from, to);
}

void Paths::by_way_of(DeviceId leaves, DeviceId from, DeviceId to, Delivery delivery,
                      Route& path) const {
  wires_between(from, leaves, to, row_of(delivery).memory, path);
  cores_.load_ends(path, from, to);
}

void Paths::wires_between(DeviceId from, DeviceId leaves, DeviceId to, WireMemory memory,
                          Route& path) const {
  path.links.clear();
  path.latency = {};
  if (same_host(topology_, from, to)) return join(path, ways_.inside(from, to));
  const Ways::HostWay& out = ways_.host_way(leaves, memory, Direction::to_wire);
  const Ways::HostWay& in = ways_.host_way(to, memory, Direction::from_wire);
  if (out.legs.empty() || in.legs.empty()) return join(path, ways_.inside(from, to));
  if (from != leaves) join(path, ways_.inside(from, leaves));
  append_wire(path, out, in);
}

void Paths::append_wire(Route& path, const Ways::HostWay& out, const Ways::HostWay& in) const {
  for (const Route& leg : out.legs) join(path, leg);
  join(path, ways_.wire(out.nic, in.nic));
  for (const Route& leg : in.legs) join(path, leg);
  path.latency += out.latency + in.latency;
}

Route Paths::along(const Ways::HostWay& way) const {
  Route route;
  for (const Route& leg : way.legs) join(route, leg);
  route.latency += way.latency;
  return route;
}

Route Paths::to_nic(DeviceId slot, Delivery delivery) const {
  return along(ways_.host_way(slot, row_of(delivery).memory, Direction::to_wire));
}

Route Paths::from_nic(DeviceId slot, Delivery delivery) const {
  return along(ways_.host_way(slot, row_of(delivery).memory, Direction::from_wire));
}

Route Paths::between_host_memories(DeviceId from, DeviceId to) const {
  const HostPath out = memory_path(topology_, from, Direction::to_wire);
  const HostPath in = memory_path(topology_, to, Direction::from_wire);
  Route path;
  if (out.waypoints.empty() || in.waypoints.empty())
    between(from, to, WireMemory::host, path);
  else if (same_host(topology_, from, to))
    join(path, ways_.inside(out.waypoints.front(), in.waypoints.back()));
  else
    append_wire(path, ways_.legs_of(out, Direction::to_wire),
                ways_.legs_of(in, Direction::from_wire));
  return path;
}

Route Paths::between_inside(DeviceId from, DeviceId to) const {
  return from.valid() && to.valid() ? ways_.inside(from, to) : Route{};
}

Route Paths::to_host(DeviceId slot) const {
  return between_inside(slot, cpu_of(topology_, slot));
}

Route Paths::from_host(DeviceId slot) const {
  return between_inside(cpu_of(topology_, slot), slot);
}

std::vector<LinkShare> Paths::link_shares() const {
  std::vector<LinkShare> shares;
  shares.reserve(topology_.links.size() + cores_.pools().size());
  for (const Link& link : topology_.links) {
    const Bandwidth rate = link.kind == LinkKind::network
                               ? network_link_rate(topology_, plan_.network, link)
                               : host_link_rate(topology_, link);
    shares.push_back({rate.value});
  }
  for (const CorePool& pool : cores_.pools()) shares.push_back({pool.rate.value});
  return shares;
}

}  // namespace quintet
