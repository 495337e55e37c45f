#include "sim/price/footprint.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/rails.h"

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

struct Place {
  std::size_t host = 0;
  int local = 0;
};

Place place_of(const HostLayout& layout, int position) {
  for (std::size_t host = 0; host < layout.hosts.size(); ++host) {
    const std::vector<int>& members = layout.hosts[host];
    const auto found = std::find(members.begin(), members.end(), position);
    if (found != members.end()) return {host, static_cast<int>(found - members.begin())};
  }
  assert(false);
  return {};
}

// Where hosts have lost NICs a channel's port need not be on the rail of the next host's: what goes
// to a channel's port leaves by the NIC of the same channel (ncclTopoGetNetDev takes the graph's),
// not by that of the port's rail. None: the layout lists no ports, or `edge` goes to none of them.
std::optional<int> port_beside(const HostLayout& layout, const TrafficEdge& edge) {
  if (layout.ports.empty()) return std::nullopt;
  const Place from = place_of(layout, edge.from), to = place_of(layout, edge.to);
  const std::vector<int>& ports = layout.ports[to.host];
  const auto channel =
      static_cast<std::size_t>(std::find(ports.begin(), ports.end(), to.local) - ports.begin());
  if (channel >= std::min(ports.size(), layout.ports[from.host].size())) return std::nullopt;
  const int local = layout.ports[from.host][channel];
  return layout.hosts[from.host][static_cast<std::size_t>(local)];
}

int messages_of(const CollectiveAlgorithm& algorithm, const TrafficPhase& phase) {
  const int edges = static_cast<int>(phase.edges.size());
  return algorithm.edges == CollectiveAlgorithm::Edges::one_message ? edges : edges * phase.steps;
}

}  // namespace

void Footprints::Sums::add(const Route& path, double bytes_per_byte) {
  for (const RouteShare& use : path.links) {
    const auto link = static_cast<std::size_t>(use.link.value);
    if (link >= sums_.size()) sums_.resize(link + link / 2 + 1, 0.0);
    if (const double share = use.share * bytes_per_byte; share != share_) {
      share_ = share;
      on_grid_ = on_grid(share);
    }
    if (sums_[link] == 0.0) touched_.push_back(use.link.value);
    sums_[link] += on_grid_;
  }
}

std::vector<Usage> Footprints::Sums::taken() {
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  std::vector<Usage> list;
  list.reserve(touched_.size());
  for (const std::int32_t link : touched_)
    list.push_back({link, std::exchange(sums_[static_cast<std::size_t>(link)], 0.0)});
  touched_.clear();
  return list;
}

void Footprints::find_way(const HostLayout& layout, const TrafficEdge& edge, Delivery delivery) {
  const Topology& topology = paths_.topology();
  const auto slot = [&](int position) { return layout.slots[static_cast<std::size_t>(position)]; };
  way_.crosses_hosts = false;
  if (edge.to < 0 || edge.from < 0) {
    way_.route =
        edge.to < 0 ? to_switch(topology, slot(edge.from)) : from_switch(topology, slot(edge.to));
    return;
  }
  const DeviceId from = slot(edge.from), to = slot(edge.to);
  way_.crosses_hosts = !same_host(topology, from, to);
  const std::optional<int> leaves = way_.crosses_hosts ? port_beside(layout, edge) : std::nullopt;
  if (leaves)
    paths_.by_way_of(slot(*leaves), from, to, delivery, way_.route);
  else
    paths_.between(from, to, delivery, way_.route);
}

// Which positions send what to which says nothing of the slots.
const std::vector<TrafficPhase>& Footprints::traffic_of(const HostLayout& layout,
                                                        CollectiveKind kind, Algorithm algorithm) {
  const auto [known, fresh] = known_.try_emplace({kind, algorithm});
  auto& [seats, phases] = known->second;
  const bool alike = !fresh && seats.nics_per_host == layout.nics_per_host &&
                     seats.hosts == layout.hosts && seats.ports == layout.ports;
  if (alike) return phases;
  seats = {layout.hosts, layout.nics_per_host, {}, layout.ports};
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
    for (const TrafficEdge& edge : phase.edges) {
      find_way(layout, edge, delivery);
      crosses |= way_.crosses_hosts;
      if (way_.crosses_hosts)
        result.longest_path = std::max(result.longest_path, way_.route.latency);
      sums_.add(way_.route, edge.bytes_per_byte);
    }
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
