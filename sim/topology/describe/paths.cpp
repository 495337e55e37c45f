#include "sim/topology/describe/paths.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <cstdint>
#include <utility>

#include "sim/topology/families/network_family.h"

namespace quintet {
namespace {

struct Step {
  std::int64_t cost = 0;
  LinkId link;
};
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Step>;
using Edge = Graph::edge_descriptor;
using Switches = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

// A link counts a million; the kind only breaks ties (paths are shorter than a million links).
std::int64_t cost_of(LinkKind kind) {
  constexpr std::int64_t link = 1'000'000;
  switch (kind) {
    case LinkKind::nvlink:
      return link;
    case LinkKind::pcie:
      return link + 1;
    case LinkKind::socket:
      return link + 2;
    case LinkKind::network:
      return link + 3;
  }
  return link;
}

Graph graph_of(const Topology& topology) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const Link& link = topology.links[i];
    ends.emplace_back(link.from.index(), link.to.index());
    steps.push_back({cost_of(link.kind), id_at<LinkId>(i)});
  }
  return {boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), steps.begin(),
          topology.devices.size()};
}

// The forwarding rules of topology.h for one pair of ends.
struct MayPass {
  const Topology* topology = nullptr;
  const Graph* graph = nullptr;
  DeviceId from, to;

  bool operator()(const Edge& edge) const {
    const DeviceId tail = id_at<DeviceId>(boost::source(edge, *graph));
    const Device& left = topology->device(tail);
    const Device& right = topology->device(id_at<DeviceId>(boost::target(edge, *graph)));
    if (tail != from && !may_forward(left.kind)) return false;
    const bool leaves_host = left.host.valid() && !right.host.valid();
    const bool enters_host = !left.host.valid() && right.host.valid();
    if (left.host.valid() && right.host.valid() && left.host != right.host)
      return left.host == topology->device(from).host && right.host == topology->device(to).host;
    if (leaves_host) return left.host == topology->device(from).host;
    if (enters_host) return right.host == topology->device(to).host;
    return true;
  }
};

// Remembers the link by which every device was reached best.
class RememberLinks : public boost::default_dijkstra_visitor {
 public:
  explicit RememberLinks(std::vector<LinkId>& reached_by) : reached_by_(&reached_by) {}
  template <class Filtered>
  void edge_relaxed(const Edge& edge, const Filtered& graph) {
    (*reached_by_)[boost::target(edge, graph)] = boost::get(&Step::link, graph, edge);
  }

 private:
  std::vector<LinkId>* reached_by_;
};

std::vector<LinkId> walk_back(const Topology& topology, const std::vector<LinkId>& reached_by,
                              DeviceId from, DeviceId to) {
  std::vector<LinkId> path;
  for (DeviceId here = to; here != from; here = topology.link(path.back()).from) {
    if (!reached_by[here.index()].valid()) return {};
    path.push_back(reached_by[here.index()]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// Between switches as the fabric itself routes, where it has a way of its own.
std::vector<LinkId> by_own_way(const Topology& topology, std::vector<LinkId> path) {
  const auto routed = own_way(topology);
  const auto between_switches = [&](LinkId id) {
    return topology.device(topology.link(id).from).kind == DeviceKind::network_switch &&
           topology.device(topology.link(id).to).kind == DeviceKind::network_switch;
  };
  const auto begin = std::find_if(path.begin(), path.end(), between_switches);
  const auto end = std::find_if_not(begin, path.end(), between_switches);
  if (!routed || begin == end) return path;
  const std::vector<LinkId> links =
      routed(topology, topology.link(*begin).from, topology.link(*(end - 1)).to);
  path.insert(path.erase(begin, end), links.begin(), links.end());
  return path;
}

Switches switches_of(const Topology& topology) {
  Switches graph(topology.devices.size());
  for (const Link& link : topology.links)
    if (topology.device(link.from).kind == DeviceKind::network_switch &&
        topology.device(link.to).kind == DeviceKind::network_switch)
      boost::add_edge(link.from.index(), link.to.index(), graph);
  return graph;
}

// Switches that hosts hang on.
std::vector<std::size_t> leaves_of(const Topology& topology) {
  std::vector<std::size_t> leaves;
  for (std::size_t i = 0; i < topology.devices.size(); ++i)
    if (topology.devices[i].kind == DeviceKind::network_switch &&
        std::any_of(topology.outgoing[i].begin(), topology.outgoing[i].end(), [&](LinkId link) {
          return topology.device(topology.link(link).to).host.valid();
        }))
      leaves.push_back(i);
  return leaves;
}

int farthest_leaf(const Switches& graph, std::size_t start,
                  const std::vector<std::size_t>& leaves) {
  std::vector<int> hops(boost::num_vertices(graph), 0);
  boost::breadth_first_search(graph, start,
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(hops.data(), boost::on_tree_edge{}))));
  int most = 0;
  for (const std::size_t leaf : leaves) most = std::max(most, hops[leaf]);
  return most;
}

}  // namespace

std::vector<LinkId> shortest_path(const Topology& topology, DeviceId from, DeviceId to) {
  const Graph graph = graph_of(topology);
  const boost::filtered_graph allowed(graph, MayPass{&topology, &graph, from, to});
  std::vector<LinkId> reached_by(topology.devices.size());
  boost::dijkstra_shortest_paths(
      allowed, from.index(),
      boost::weight_map(boost::get(&Step::cost, allowed)).visitor(RememberLinks(reached_by)));
  return by_own_way(topology, walk_back(topology, reached_by, from, to));
}

std::optional<int> network_diameter(const Topology& topology) {
  const std::vector<std::size_t> leaves = leaves_of(topology);
  const auto switches =
      std::count_if(topology.devices.begin(), topology.devices.end(),
                    [](const Device& device) { return device.kind == DeviceKind::network_switch; });
  if (leaves.empty() || switches > 4096) return std::nullopt;
  const Switches graph = switches_of(topology);
  int most = 0;
  for (const std::size_t leaf : leaves) most = std::max(most, farthest_leaf(graph, leaf, leaves));
  return most + 2;
}

}  // namespace quintet
