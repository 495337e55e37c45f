#include "sim/price/footprint.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/rails.h"
#include "sim/network/route/reduction_tree.h"

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

// Edges to switches that add and back. What the members of one local number send is one share of
// the buffer: the switches add it up, so that it crosses each link of its tree once.
class ReducedShares {
 public:
  explicit ReducedShares(const HostLayout& layout) : layout_(layout) {}

  bool take(const TrafficEdge& edge) {
    const bool up = edge.to == network_reducer;
    if (!up && edge.from != network_reducer) return false;
    const int member = up ? edge.from : edge.to;
    Share& share = shares_[place_of(layout_, member).local];
    (up ? share.up : share.down)[slot_of(member)] = edge.bytes_per_byte;
    return true;
  }
  bool empty() const { return shares_.empty(); }

  // Returns the longest way up and down again.
  Seconds load(const Paths& paths, Delivery delivery, Uses& uses) const {
    Seconds longest;
    for (const auto& [number, share] : shares_) {
      std::set<DeviceId> nics;
      Seconds out, in;
      for (const auto& [slot, bytes] : share.up) {
        const Route way = paths.to_nic(slot, delivery);
        add(uses, way, bytes);
        out = std::max(out, way.latency);
        nics.insert(nic_of(paths.topology(), slot));
      }
      for (const auto& [slot, bytes] : share.down) {
        const Route way = paths.from_nic(slot, delivery);
        add(uses, way, bytes);
        in = std::max(in, way.latency);
      }
      const std::vector<DeviceId> ends(nics.begin(), nics.end());
      const std::vector<LinkId> tree =
          reduction_tree(paths.topology(), ends, static_cast<std::uint64_t>(number));
      for (const LinkId link : tree) {
        uses[link.value] += on_grid(most(share.up));
        uses[reverse_of(link).value] += on_grid(most(share.down));
      }
      longest = std::max(longest, out + in + 2.0 * depth_of(paths.topology(), tree));
    }
    return longest;
  }

 private:
  using Bytes = std::map<DeviceId, double>;
  struct Share {
    Bytes up, down;  // by slot
  };

  static double most(const Bytes& bytes) {
    double largest = 0.0;
    for (const auto& [slot, each] : bytes) largest = std::max(largest, each);
    return largest;
  }
  DeviceId slot_of(int position) const { return layout_.slots[static_cast<std::size_t>(position)]; }

  const HostLayout& layout_;
  std::map<int, Share> shares_;  // by local number
};

int messages_of(const CollectiveAlgorithm& algorithm, const TrafficPhase& phase) {
  const int edges = static_cast<int>(phase.edges.size());
  return algorithm.edges == CollectiveAlgorithm::Edges::one_message ? edges : edges * phase.steps;
}

}  // namespace

DeviceId Footprints::slot_of(const HostLayout& layout, int end) const {
  return end <= first_server ? layout.servers[static_cast<std::size_t>(first_server - end)]
                             : layout.slots[static_cast<std::size_t>(end)];
}

Footprints::Way Footprints::way_of(const HostLayout& layout, const TrafficEdge& edge,
                                   Delivery delivery) const {
  const Topology& topology = paths_.topology();
  if (edge.to == host_switch) return {to_switch(topology, slot_of(layout, edge.from))};
  if (edge.from == host_switch) return {from_switch(topology, slot_of(layout, edge.to))};
  const DeviceId from = slot_of(layout, edge.from), to = slot_of(layout, edge.to);
  if (std::min(edge.from, edge.to) <= first_server)  // each by its own NIC
    return {paths_.by_way_of(from, from, to, delivery), true};
  const bool crosses = !same_host(topology, from, to);
  const std::optional<int> leaves = crosses ? port_beside(layout, edge) : std::nullopt;
  if (leaves) return {paths_.by_way_of(slot_of(layout, *leaves), from, to, delivery), crosses};
  return {paths_.between(from, to, delivery), crosses};
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
    ReducedShares reduced(layout);
    for (const TrafficEdge& edge : phase.edges) {
      if (reduced.take(edge)) continue;
      const Way way = way_of(layout, edge, delivery);
      crosses |= way.crosses_hosts;
      if (way.crosses_hosts) result.longest_path = std::max(result.longest_path, way.route.latency);
      add(uses, way.route, edge.bytes_per_byte);
    }
    crosses |= !reduced.empty();
    result.longest_path = std::max(result.longest_path, reduced.load(paths_, delivery, uses));
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
