#include "sim/price/footprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/switch_ways.h"

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

// Seconds per byte of the slowest link.
double slowest(const Uses& uses, const std::vector<LinkShare>& links) {
  double longest = 0;
  for (const auto& [link, use] : uses)
    longest = std::max(longest, use / links[static_cast<std::size_t>(link)].capacity);
  return longest;
}

Bandwidth rate_of(double seconds_per_byte) {
  return {seconds_per_byte > 0 ? 1.0 / seconds_per_byte : std::numeric_limits<double>::infinity()};
}

// Of a chain of `steps` messages, those between hosts: once round all of them for each direction,
// or one per level of a tree over them.
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

double on_grid(double coefficient) {
  return std::round(coefficient * 0x1p34) / 0x1p34;
}

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
  const int hosts = static_cast<int>(layout.hosts.size());
  const CollectiveAlgorithm& row = row_of(algorithm);
  Uses total;
  double seconds_per_byte = 0;
  for (const TrafficPhase& phase : traffic(kind, algorithm, layout)) {
    Uses uses;
    bool crosses = false;
    for (const TrafficEdge& edge : phase.edges) {
      const Way way = way_of(layout, edge, delivery);
      crosses |= way.crosses_hosts;
      if (way.crosses_hosts) result.longest_path = std::max(result.longest_path, way.route.latency);
      add(uses, way.route, edge.bytes_per_byte);
    }
    seconds_per_byte += slowest(uses, links_);
    for (const auto& [link, use] : uses) total[link] += use;
    result.memory_per_byte += phase.reduced_bytes_per_byte * overlap_.memory_traffic_reduce +
                              phase.copied_bytes_per_byte * overlap_.memory_traffic_copy;
    const int between = crosses ? steps_between_hosts(row, phase.kind, phase.steps, hosts) : 0;
    result.network_steps += between;
    result.local_steps += phase.steps - between;
    result.messages += messages_of(row, phase);
  }
  result.uses = listed(total);
  result.limit = rate_of(seconds_per_byte);
  return result;
}

Footprint Footprints::of_path(const Route& path) const {
  Uses uses;
  add(uses, path, 1.0);
  Footprint result;
  result.uses = listed(uses);
  result.limit = rate_of(slowest(uses, links_));
  return result;
}

}  // namespace quintet
