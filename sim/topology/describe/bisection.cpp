#include "sim/topology/describe/bisection.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace quintet {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
// Whole bytes per second: exact sums.
using Edge = boost::property<
    boost::edge_capacity_t, std::int64_t,
    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Edge>;

class Flow {
 public:
  Flow() : source_(boost::add_vertex(graph_)), sink_(boost::add_vertex(graph_)) {}

  void wire(DeviceId one, DeviceId other, std::int64_t there, std::int64_t back) {
    edge(vertex(one), vertex(other), there);
    edge(vertex(other), vertex(one), back);
  }
  void from_source(DeviceId device, std::int64_t most) { edge(source_, vertex(device), most); }
  void to_sink(DeviceId device, std::int64_t most) { edge(vertex(device), sink_, most); }
  std::int64_t maximum() { return boost::push_relabel_max_flow(graph_, source_, sink_); }

 private:
  std::size_t vertex(DeviceId device) {
    const auto [entry, added] = vertices_.try_emplace(device.value, 0);
    if (added) entry->second = boost::add_vertex(graph_);
    return entry->second;
  }

  // With a residual edge of its own: Boost does not return excess over edges that have a capacity.
  void edge(std::size_t from, std::size_t to, std::int64_t capacity) {
    const auto forward = boost::add_edge(from, to, graph_).first;
    const auto backward = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, forward, capacity);
    boost::put(boost::edge_capacity, graph_, backward, std::int64_t{0});
    boost::put(boost::edge_reverse, graph_, forward, backward);
    boost::put(boost::edge_reverse, graph_, backward, forward);
  }

  Graph graph_;
  std::size_t source_, sink_;
  std::unordered_map<std::int32_t, std::size_t> vertices_;
};

// Bytes per second that one unit of flow stands for: 1, but more where sums would overflow.
double unit_of(const Topology& topology) {
  constexpr double largest_sum = 1e18;
  double sum = 0.0;
  for (const Link& link : topology.links) sum += link.rate().value;
  return std::max(1.0, sum / largest_sum);
}

std::int64_t whole(Bandwidth rate, double unit) {
  return std::llround(rate.value / unit);
}

bool in_fabric(const Topology& topology, const Link& link) {
  return topology.device(link.from).kind == DeviceKind::network_switch ||
         topology.device(link.to).kind == DeviceKind::network_switch;
}

// Fabric links of a host, both directions, bound what it can send and receive.
void add_ends(Flow& flow, const Topology& topology, const Link& link, double unit) {
  const Device& end = topology.device(link.from);
  if (!end.host.valid()) return;
  const bool first_half = end.host.index() < topology.hosts.size() / 2;
  if (first_half) flow.from_source(link.from, whole(link.rate(), unit));
  if (!first_half) flow.to_sink(link.from, whole(link.rate(), unit));
}

}  // namespace

std::optional<Bandwidth> bisection_by_flow(const Topology& topology, int most_links) {
  const auto fabric = std::count_if(topology.links.begin(), topology.links.end(),
                                    [&](const Link& link) { return in_fabric(topology, link); });
  if (topology.hosts.size() < 2 || fabric == 0 || fabric > most_links) return std::nullopt;
  const double unit = unit_of(topology);
  Flow flow;
  // Wires are pairs of links: 2n there, 2n + 1 back.
  for (std::size_t i = 0; i + 1 < topology.links.size(); i += 2) {
    const Link& there = topology.links[i];
    const Link& back = topology.links[i + 1];
    if (!in_fabric(topology, there)) continue;
    flow.wire(there.from, there.to, whole(there.rate(), unit), whole(back.rate(), unit));
    add_ends(flow, topology, there, unit);
    add_ends(flow, topology, back, unit);
  }
  return Bandwidth{static_cast<double>(flow.maximum()) * unit};
}

}  // namespace quintet
