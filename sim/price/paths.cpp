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

Route Paths::way(DeviceId from, DeviceId to) const {
  return from == to ? Route{} : router_.route(from, to, 1);
}

void Paths::append(Route& path, DeviceId from, DeviceId to) const {
  if (from != to) join(path, router_.route(from, to, 1));
}

void Paths::between(DeviceId from, DeviceId to, Delivery delivery, Route& path) const {
  between(from, to, row_of(delivery).memory, path);
}

void Paths::between(DeviceId from, DeviceId to, WireMemory memory, Route& path) const {
  const bool inside = same_host(topology_, from, to);
  const DeviceId leaves =
      inside ? from : sending_slot(topology_, plan_.intra_inter.forwarding, from, to);
  wires_between(from, leaves, to, memory, path);
  cores_.load_ends(path, from, to);
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
  if (same_host(topology_, from, to)) return append(path, from, to);
  const HostWay& out = host_way(leaves, memory, Direction::to_wire);
  const HostWay& in = host_way(to, memory, Direction::from_wire);
  if (out.legs.empty() || in.legs.empty()) return append(path, from, to);
  append(path, from, leaves);
  append_wire(path, out, in);
}

const Paths::HostWay& Paths::host_way(DeviceId slot, WireMemory memory, Direction direction) const {
  const std::size_t kind =
      (memory == WireMemory::host ? 2u : 0u) + (direction == Direction::from_wire ? 1u : 0u);
  const auto [known, fresh] = kept_.host_ways[kind].try_emplace(slot);
  if (fresh) known->second = found(host_path(topology_, slot, memory, direction), direction);
  return known->second;
}

Paths::HostWay Paths::found(const HostPath& host, Direction direction) const {
  const std::vector<DeviceId>& points = host.waypoints;
  HostWay all;
  all.latency = host.latency;
  for (std::size_t index = 1; index < points.size(); ++index)
    all.legs.push_back(way(points[index - 1], points[index]));
  if (!points.empty())
    all.nic = direction == Direction::to_wire ? points.back() : points.front();
  return all;
}

const Route& Paths::wire(DeviceId from, DeviceId to) const {
  const auto key = static_cast<std::uint64_t>(from.index()) << 32 | to.index();
  const auto [known, fresh] = kept_.wires.try_emplace(key);
  if (fresh && from != to) known->second = router_.route(from, to, plan_.host_net.queue_pairs);
  return known->second;
}

void Paths::append_wire(Route& path, const HostWay& out, const HostWay& in) const {
  for (const Route& leg : out.legs) join(path, leg);
  join(path, wire(out.nic, in.nic));
  for (const Route& leg : in.legs) join(path, leg);
  path.latency += out.latency + in.latency;
}

Route Paths::between_host_memories(DeviceId from, DeviceId to) const {
  const HostPath out = memory_path(topology_, from, Direction::to_wire);
  const HostPath in = memory_path(topology_, to, Direction::from_wire);
  Route path;
  if (out.waypoints.empty() || in.waypoints.empty())
    between(from, to, WireMemory::host, path);
  else if (same_host(topology_, from, to))
    append(path, out.waypoints.front(), in.waypoints.back());
  else
    append_wire(path, found(out, Direction::to_wire), found(in, Direction::from_wire));
  return path;
}

Route Paths::to_host(DeviceId slot) const {
  Route path;
  if (const DeviceId cpu = cpu_of(topology_, slot); cpu.valid()) append(path, slot, cpu);
  return path;
}

Route Paths::from_host(DeviceId slot) const {
  Route path;
  if (const DeviceId cpu = cpu_of(topology_, slot); cpu.valid()) append(path, cpu, slot);
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
