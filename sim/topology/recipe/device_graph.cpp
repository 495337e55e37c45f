#include "sim/topology/recipe/device_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>

namespace quintet {
namespace {

using Adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

// Keeps the edges that leave devices of which `forwards` holds.
template <class Forwards>
struct LeavesForwarder {
  const Adjacency* graph = nullptr;
  const std::vector<Device>* devices = nullptr;
  bool operator()(const Adjacency::edge_descriptor& edge) const {
    return Forwards{}((*devices)[boost::source(edge, *graph)].kind);
  }
};

// An NVSwitch leads only to GPUs, which do not forward: an island of its own.
struct BesidesNvlink {
  bool operator()(DeviceKind kind) const {
    return may_forward(kind) && kind != DeviceKind::nvswitch;
  }
};
struct NvswitchesOnly {
  bool operator()(DeviceKind kind) const { return kind == DeviceKind::nvswitch; }
};
struct SwitchesOnly {
  bool operator()(DeviceKind kind) const { return kind == DeviceKind::network_switch; }
};

template <class Forwards>
std::vector<int> distances(const Adjacency& graph, const std::vector<Device>& devices,
                           std::size_t start) {
  const boost::filtered_graph forwarding(graph, LeavesForwarder<Forwards>{&graph, &devices});
  std::vector<int> hops(devices.size(), -1);
  hops[start] = 0;
  boost::breadth_first_search(forwarding, start,
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(hops.data(), boost::on_tree_edge{}))));
  return hops;
}

template <class Forwards, class Wanted>
std::optional<DeviceId> not_reached(const Adjacency& graph, const std::vector<Device>& devices,
                                    Wanted wanted) {
  const auto start = std::find_if(devices.begin(), devices.end(),
                                  [](const Device& device) { return Forwards{}(device.kind); });
  if (start == devices.end()) return DeviceId{1};  // GPUs alone
  const std::vector<int> hops =
      distances<Forwards>(graph, devices, static_cast<std::size_t>(start - devices.begin()));
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (hops[i] < 0 && wanted(devices[i].kind)) return id_at<DeviceId>(i);
  return std::nullopt;
}

std::optional<DeviceId> unlinked_nvswitch(const std::vector<Device>& devices,
                                          const Adjacency& graph) {
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].kind == DeviceKind::nvswitch && boost::out_degree(i, graph) == 0)
      return id_at<DeviceId>(i);
  return std::nullopt;
}

}  // namespace

struct DeviceGraph::Vertices {
  Adjacency graph;
};

DeviceGraph::DeviceGraph() : vertices_(std::make_unique<Vertices>()) {}
DeviceGraph::~DeviceGraph() = default;

PartId DeviceGraph::part(const Part& part) {
  const auto [entry, added] =
      part_ids_.try_emplace({part.name, part.source}, id_at<PartId>(parts_.size()));
  if (added) parts_.push_back(part);
  return entry->second;
}

DeviceId DeviceGraph::add(Device device) {
  devices_.push_back(std::move(device));
  return id_at<DeviceId>(boost::add_vertex(vertices_->graph));
}

void DeviceGraph::connect(DeviceId from, DeviceId to, LinkKind kind, const WireRecipe& wire) {
  connect(from, to, kind, wire, wire);
}

void DeviceGraph::connect(DeviceId from, DeviceId to, LinkKind kind, const WireRecipe& there,
                          const WireRecipe& back) {
  add_direction(from, to, kind, there);
  add_direction(to, from, kind, back);
}

void DeviceGraph::add_direction(DeviceId from, DeviceId to, LinkKind kind, const WireRecipe& wire) {
  links_.push_back({from, to, kind, wire.bandwidth, wire.latency, part(wire.part)});
  boost::add_edge(from.index(), to.index(), vertices_->graph);
}

std::optional<DeviceId> DeviceGraph::unreachable() const {
  const auto all_but_nvswitches = [](DeviceKind kind) { return kind != DeviceKind::nvswitch; };
  if (const auto island = unlinked_nvswitch(devices_, vertices_->graph)) return island;
  if (std::any_of(devices_.begin(), devices_.end(),
                  [](const Device& device) { return BesidesNvlink{}(device.kind); }))
    return not_reached<BesidesNvlink>(vertices_->graph, devices_, all_but_nvswitches);
  const bool one_device = devices_.size() == 1;
  return one_device ? std::nullopt
                    : not_reached<NvswitchesOnly>(vertices_->graph, devices_, all_but_nvswitches);
}

std::optional<DeviceId> DeviceGraph::unreachable_switch() const {
  const bool none = std::none_of(devices_.begin(), devices_.end(),
                                 [](const Device& device) { return SwitchesOnly{}(device.kind); });
  if (none) return std::nullopt;
  return not_reached<SwitchesOnly>(vertices_->graph, devices_, SwitchesOnly{});
}

void DeviceGraph::freeze_into(Topology& topology) && {
  topology.outgoing.assign(devices_.size(), {});
  for (std::size_t i = 0; i < links_.size(); ++i)
    topology.outgoing[links_[i].from.index()].push_back(id_at<LinkId>(i));
  topology.devices = std::move(devices_);
  topology.links = std::move(links_);
  topology.parts = std::move(parts_);
}

}  // namespace quintet
