#include "sim/price/footprint.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/rails.h"
#include "sim/price/reduced_shares.h"

namespace quintet {

namespace {

// How many messages of a chain of `steps` go between hosts: once round all of them for each
// direction, or one per level of a tree over them.
int steps_between_hosts(const CollectiveAlgorithm& algorithm, CollectiveKind kind, int steps,
                        int hosts) {
  using enum CollectiveAlgorithm::Crossing;
  const int directions = kind == CollectiveKind::all_reduce ? 2 : 1;
  const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(hosts - 1)));
  return std::min(steps, directions * (algorithm.crossing == in_turn ? hosts - 1 : levels));
}

// Where hosts have lost NICs a channel's port need not be on the rail of the next host's: what goes
// to a channel's port leaves by the NIC of the same channel (ncclTopoGetNetDev takes the graph's),
// not by that of the port's rail. None: the layout lists no ports, or `edge` goes to none of them.
std::optional<int> port_beside(const HostLayout& layout, const TrafficEdge& edge) {
  if (layout.ports.empty()) return std::nullopt;
  const Seat from = seat_at(layout, edge.from), to = seat_at(layout, edge.to);
  const auto host_of = [](const Seat& seat) { return static_cast<std::size_t>(seat.host); };
  const std::vector<int>& ports = layout.ports[host_of(to)];
  const auto channel =
      static_cast<std::size_t>(std::find(ports.begin(), ports.end(), to.local) - ports.begin());
  if (channel >= std::min(ports.size(), layout.ports[host_of(from)].size())) return std::nullopt;
  const int local = layout.ports[host_of(from)][channel];
  return layout.hosts[host_of(from)][static_cast<std::size_t>(local)];
}

int messages_of(const CollectiveAlgorithm& algorithm, const TrafficPhase& phase) {
  const int edges = static_cast<int>(phase.edges.size());
  return algorithm.edges == CollectiveAlgorithm::Edges::one_message ? edges : edges * phase.steps;
}

// Of a member, or of one of the servers.
DeviceId slot_of(const HostLayout& layout, int end) {
  return end <= first_server ? layout.servers[static_cast<std::size_t>(first_server - end)]
                             : layout.slots[static_cast<std::size_t>(end)];
}

}  // namespace

void Footprints::find_way(const HostLayout& layout, const TrafficEdge& edge, Delivery delivery) {
  const Topology& topology = paths_.topology();
  way_.crosses_hosts = false;
  if (edge.to == host_switch || edge.from == host_switch) {
    way_.route = edge.to == host_switch ? to_switch(topology, slot_of(layout, edge.from))
                                        : from_switch(topology, slot_of(layout, edge.to));
    return;
  }
  const DeviceId from = slot_of(layout, edge.from), to = slot_of(layout, edge.to);
  if (std::min(edge.from, edge.to) <= first_server) {  // each by its own NIC
    way_.crosses_hosts = true;
    paths_.by_way_of(from, from, to, delivery, way_.route);
    return;
  }
  way_.crosses_hosts = !same_host(topology, from, to);
  const std::optional<int> leaves = way_.crosses_hosts ? port_beside(layout, edge) : std::nullopt;
  if (leaves)
    paths_.by_way_of(slot_of(layout, *leaves), from, to, delivery, way_.route);
  else
    paths_.between(from, to, delivery, way_.route);
}

// Which positions send what to which says nothing of the slots.
const std::vector<TrafficPhase>& Footprints::traffic_of(const HostLayout& layout,
                                                        CollectiveKind kind, Algorithm algorithm) {
  const auto [known, fresh] = known_.try_emplace({kind, algorithm});
  auto& [seats, phases] = known->second;
  const bool alike = !fresh && seats.nics_per_host == layout.nics_per_host &&
                     seats.hosts == layout.hosts && seats.ports == layout.ports &&
                     seats.servers == layout.servers && seats.strides == layout.strides;
  if (alike) return phases;
  seats = {layout.hosts, layout.nics_per_host, {}, layout.ports, layout.servers, layout.strides};
  phases = traffic(kind, algorithm, layout);
  return phases;
}

Footprint Footprints::of_group(const HostLayout& layout, CollectiveKind kind, Algorithm algorithm,
                               Delivery delivery) {
  Footprint result;
  result.uses_kernel = uses_kernel(delivery);
  const CollectiveAlgorithm& row = row_of(algorithm);
  const int hosts = static_cast<int>(layout.hosts.size());
  for (const TrafficPhase& phase : traffic_of(layout, kind, algorithm)) {
    bool crosses = false;
    ReducedShares reduced(layout);
    for (const TrafficEdge& edge : phase.edges) {
      if (reduced.take(edge)) continue;
      find_way(layout, edge, delivery);
      crosses |= way_.crosses_hosts;
      if (way_.crosses_hosts)
        result.longest_path = std::max(result.longest_path, way_.route.latency);
      sums_.add(way_.route, edge.bytes_per_byte);
    }
    crosses |= !reduced.empty();
    result.longest_path = std::max(result.longest_path, reduced.load(paths_, delivery, sums_));
    result.phases.push_back({phase.steps, sums_.taken()});
    result.memory_per_byte += phase.reduced_bytes_per_byte * overlap_.memory_traffic_reduce +
                              phase.copied_bytes_per_byte * overlap_.memory_traffic_copy;
    const int between = crosses ? steps_between_hosts(row, phase.kind, phase.steps, hosts) : 0;
    result.network_steps += between;
    result.local_steps += phase.steps - between;
    result.messages += messages_of(row, phase);
  }
  result.limit = passing_rate(result.phases, links_);
  return result;
}

Footprint Footprints::of_path(const Route& path) {
  sums_.add(path, 1.0);
  Footprint result;
  result.phases.push_back({1, sums_.taken()});
  result.limit = passing_rate(result.phases, links_);
  return result;
}

}  // namespace quintet
