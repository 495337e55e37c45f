#include "sim/price/paths.h"

#include "sim/intra_inter/rails.h"
#include "sim/network/route/network_rates.h"
#include "sim/topology/host_layout.h"

namespace quintet {

void Paths::append(Route& path, DeviceId from, DeviceId to, int queue_pairs) const {
  if (from == to) return;
  const Route route = router_.route(from, to, queue_pairs);
  path.links.insert(path.links.end(), route.links.begin(), route.links.end());
  path.latency += route.latency;
}

Route Paths::between(DeviceId from, DeviceId to, Delivery delivery) const {
  return between(from, to, row_of(delivery).memory);
}

Route Paths::between(DeviceId from, DeviceId to, WireMemory memory) const {
  const bool inside = same_host(topology_, from, to);
  const DeviceId leaves =
      inside ? from : sending_slot(topology_, plan_.intra_inter.forwarding, from, to);
  Route path = wires_between(from, leaves, to, memory);
  cores_.load_ends(path, from, to);
  return path;
}

Route Paths::by_way_of(DeviceId leaves, DeviceId from, DeviceId to, Delivery delivery) const {
  Route path = wires_between(from, leaves, to, row_of(delivery).memory);
  cores_.load_ends(path, from, to);
  return path;
}

Route Paths::wires_between(DeviceId from, DeviceId leaves, DeviceId to, WireMemory memory) const {
  Route path;
  const bool inside = same_host(topology_, from, to);
  const HostPath out = host_path(topology_, leaves, memory, Direction::to_wire);
  const HostPath in = host_path(topology_, to, memory, Direction::from_wire);
  if (inside || out.waypoints.empty() || in.waypoints.empty()) {
    append(path, from, to, 1);
    return path;
  }
  append(path, from, leaves, 1);
  append_wire(path, out, in);
  return path;
}

void Paths::append_wire(Route& path, const HostPath& out, const HostPath& in) const {
  for (std::size_t index = 1; index < out.waypoints.size(); ++index)
    append(path, out.waypoints[index - 1], out.waypoints[index], 1);
  append(path, out.waypoints.back(), in.waypoints.front(), plan_.host_net.queue_pairs);
  for (std::size_t index = 1; index < in.waypoints.size(); ++index)
    append(path, in.waypoints[index - 1], in.waypoints[index], 1);
  path.latency += out.latency + in.latency;
}

Route Paths::along(const HostPath& path) const {
  Route route;
  for (std::size_t index = 1; index < path.waypoints.size(); ++index)
    append(route, path.waypoints[index - 1], path.waypoints[index], 1);
  route.latency += path.latency;
  return route;
}

Route Paths::to_nic(DeviceId slot, Delivery delivery) const {
  return along(host_path(topology_, slot, delivery, Direction::to_wire));
}

Route Paths::from_nic(DeviceId slot, Delivery delivery) const {
  return along(host_path(topology_, slot, delivery, Direction::from_wire));
}

Route Paths::between_host_memories(DeviceId from, DeviceId to) const {
  const HostPath out = memory_path(topology_, from, Direction::to_wire);
  const HostPath in = memory_path(topology_, to, Direction::from_wire);
  const bool known = !out.waypoints.empty() && !in.waypoints.empty();
  if (!known) return between(from, to, WireMemory::host);
  Route path;
  if (same_host(topology_, from, to))
    append(path, out.waypoints.front(), in.waypoints.back(), 1);
  else
    append_wire(path, out, in);
  return path;
}

Route Paths::to_host(DeviceId slot) const {
  Route path;
  if (const DeviceId cpu = cpu_of(topology_, slot); cpu.valid()) append(path, slot, cpu, 1);
  return path;
}

Route Paths::from_host(DeviceId slot) const {
  Route path;
  if (const DeviceId cpu = cpu_of(topology_, slot); cpu.valid()) append(path, cpu, slot, 1);
  return path;
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
