#include "sim/price/paths.h"

#include "sim/intra_inter/rails.h"

namespace quintet {

void Paths::append(Path& path, DeviceId from, DeviceId to, int queue_pairs) const {
  if (from == to) return;
  const Route route = router_.route(from, to, queue_pairs);
  path.links.insert(path.links.end(), route.links.begin(), route.links.end());
  path.latency += route.latency;
}

Path Paths::between(DeviceId from, DeviceId to, Delivery delivery) const {
  Path path = wires_between(from, to, delivery);
  for (const DeviceId end : {from, to})
    if (const std::int32_t cores = cores_.link_of(end); cores >= 0)
      path.links.push_back({LinkId{cores}, 0.5});
  return path;
}

Path Paths::wires_between(DeviceId from, DeviceId to, Delivery delivery) const {
  Path path;
  path.crosses_hosts = topology_.device(from).host != topology_.device(to).host;
  const DeviceId leaves =
      path.crosses_hosts ? sending_slot(topology_, plan_.intra_inter.forwarding, from, to) : from;
  const HostPath out = host_path(topology_, leaves, delivery, Direction::to_wire);
  const HostPath in = host_path(topology_, to, delivery, Direction::from_wire);
  if (!path.crosses_hosts || out.waypoints.empty() || in.waypoints.empty()) {
    append(path, from, to, 1);
    return path;
  }
  append(path, from, leaves, 1);
  append_wire(path, out, in);
  return path;
}

void Paths::append_wire(Path& path, const HostPath& out, const HostPath& in) const {
  for (std::size_t index = 1; index < out.waypoints.size(); ++index)
    append(path, out.waypoints[index - 1], out.waypoints[index], 1);
  append(path, out.waypoints.back(), in.waypoints.front(), plan_.host_net.queue_pairs);
  for (std::size_t index = 1; index < in.waypoints.size(); ++index)
    append(path, in.waypoints[index - 1], in.waypoints[index], 1);
  path.latency += out.latency + in.latency;
}

Path Paths::between_host_memories(DeviceId from, DeviceId to) const {
  Path path;
  path.crosses_hosts = topology_.device(from).host != topology_.device(to).host;
  HostPath out = host_path(topology_, from, Delivery::delegated, Direction::to_wire);
  HostPath in = host_path(topology_, to, Delivery::delegated, Direction::from_wire);
  const bool known = out.waypoints.size() == 3 && in.waypoints.size() == 3;
  if (!known) return between(from, to, Delivery::delegated);  // no CPU in the graph to start from
  if (!path.crosses_hosts) {
    append(path, out.waypoints[1], in.waypoints[1], 1);
    return path;
  }
  out.waypoints.erase(out.waypoints.begin());
  in.waypoints.pop_back();
  append_wire(path, out, in);
  return path;
}

Path Paths::to_switch(DeviceId slot) const {
  Path path;
  for (const LinkId id : topology_.outgoing[slot.index()])
    if (topology_.link(id).kind == LinkKind::nvlink) path.links.push_back({id, 1.0});
  for (RouteShare& use : path.links) use.share /= static_cast<double>(path.links.size());
  return path;
}

// Every wire is two links with neighbouring ids.
Path Paths::from_switch(DeviceId slot) const {
  Path path = to_switch(slot);
  for (RouteShare& use : path.links) use.link = LinkId{use.link.value ^ 1};
  return path;
}

std::vector<LinkShare> Paths::link_shares() const {
  const double framing = framing_efficiency(topology_.protocol, plan_.network.mtu);
  const double spray =
      plan_.network.routing == Routing::spray ? plan_.network.spray_efficiency : 1.0;
  const int sm_version = topology_.gpu_specs.empty() ? 0 : topology_.gpu_specs.front().sm_version;
  std::vector<LinkShare> shares;
  shares.reserve(topology_.links.size() + cores_.links.size());
  for (const Link& link : topology_.links) {
    double rate = link.bandwidth.value * link_efficiency(link.kind, sm_version);
    if (link.kind == LinkKind::network) rate *= framing;
    const bool between_switches = topology_.device(link.from).kind == DeviceKind::network_switch &&
                                  topology_.device(link.to).kind == DeviceKind::network_switch;
    if (between_switches) rate *= spray;
    shares.push_back({rate});
  }
  shares.insert(shares.end(), cores_.links.begin(), cores_.links.end());
  return shares;
}

}  // namespace quintet
