#include "sim/price/footprint.h"

#include <algorithm>
#include <bit>
#include <map>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/rails.h"

namespace quintet {

namespace {

using Uses = std::map<std::int32_t, double>;  // by link

void add(Uses& uses, const Route& path, double bytes_per_byte) {
  for (const RouteShare& use : path.links)
    uses[use.link.value] += on_grid(use.share * bytes_per_byte);
}

std::vector<Usage> listed(const Uses& uses) {
  std::vector<Usage> list;
  for (const auto& [link, use] : uses) list.push_back({link, use});
  return list;
}

// How many messages of a chain of `steps` go between hosts: once round all of them for each
// direction, or one per level of a tree over them.
int steps_between_hosts(const CollectiveAlgorithm& algorithm, CollectiveKind kind, int steps,
                        int hosts) {
  using enum CollectiveAlgorithm::Crossing;
  const int directions = kind == CollectiveKind::all_reduce ? 2 : 1;
  const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(hosts - 1)));
  return std::min(steps, directions * (algorithm.crossing == in_turn ? hosts - 1 : levels));
}

int messages_of(const CollectiveAlgorithm& algorithm, const TrafficPhase& phase) {
  const int edges = static_cast<int>(phase.edges.size());
  return algorithm.edges == CollectiveAlgorithm::Edges::one_message ? edges : edges * phase.steps;
}

}  // namespace

Footprints::Way Footprints::way_of(const HostLayout& layout, const TrafficEdge& edge,
                                   Delivery delivery) const {
  const Topology& topology = paths_.topology();
  const auto slot = [&](int position) { return layout.slots[static_cast<std::size_t>(position)]; };
  if (edge.to < 0) return {to_switch(topology, slot(edge.from))};
  if (edge.from < 0) return {from_switch(topology, slot(edge.to))};
  const DeviceId from = slot(edge.from), to = slot(edge.to);
  return {paths_.between(from, to, delivery), !same_host(topology, from, to)};
}

Footprint Footprints::of_group(const HostLayout& layout, CollectiveKind kind, Algorithm algorithm,
                               Delivery delivery) const {
  Footprint result;
  result.uses_kernel = uses_kernel(delivery);
  const CollectiveAlgorithm& row = row_of(algorithm);
  const int hosts = static_cast<int>(layout.hosts.size());
  for (const TrafficPhase& phase : traffic(kind, algorithm, layout)) {
    Uses uses;
    bool crosses = false;
    for (const TrafficEdge& edge : phase.edges) {
      const Way way = way_of(layout, edge, delivery);
      crosses |= way.crosses_hosts;
      if (way.crosses_hosts) result.longest_path = std::max(result.longest_path, way.route.latency);
      add(uses, way.route, edge.bytes_per_byte);
    }
    result.phases.push_back({phase.steps, listed(uses)});
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

Footprint Footprints::of_path(const Route& path) const {
  Uses uses;
  add(uses, path, 1.0);
  Footprint result;
  result.phases = {{1, listed(uses)}};
  result.limit = passing_rate(result.phases, links_);
  return result;
}

}  // namespace quintet
