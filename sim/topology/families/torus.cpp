// A torus of three dimensions: node (x, y, z) is a switch with the NICs of one host, joined to its
// six neighbours; the last node of a row is a neighbour of the first.
//
//    +------------------------+   a row of four; a row of two nodes has two cables between them, a
//    +--(0)---(1)---(2)---(3)-+   row of one has none
#include "sim/topology/families/torus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sim/json/json_fields.h"
#include "sim/topology/families/network_family.h"
#include "sim/topology/recipe/device_graph.h"
#include "sim/topology/recipe/fields.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {
namespace {

constexpr std::size_t dimensions = 3;

struct Row {
  int size = 1;
  WireRecipe cable;
};
using Rows = std::array<Row, dimensions>;

int neighbour(int node, int stride, int size, bool forwards) {
  const int place = node / stride % size;
  return node + ((place + (forwards ? 1 : size - 1)) % size - place) * stride;
}

class Torus final : public NetworkRecipe {
 public:
  explicit Torus(JsonObject& network)
      : node_(read_switch(network, "switch")),
        host_link_(read_wire_of(network, "host_link", read_latency_only)) {
    std::size_t read = 0;
    for (JsonObject& row : network.objects_or_empty(
             {"dimensions", "torus: x, y and z, each with the cable between neighbours"})) {
      if (read < dimensions)
        rows_[read] = {row.integer({"size", "nodes in a row"}, 1, 1 << 17), read_wire(row)};
      row.refuse_unknown_keys();
      network.adopt(row);
      ++read;
    }
    if (read != dimensions) network.fail("dimensions", "expected three: x, y and z");
  }

  Result<NetworkSize> size(const TopologyRecipe& recipe) const override {
    std::int64_t nodes = 1, cables = 0;
    for (const Row& row : rows_) {
      if (nodes <= hosts_of(recipe)) nodes *= row.size;
      cables += row.size > 1;
    }
    if (nodes != hosts_of(recipe))
      return Error{"hosts", fmt::format("expected as many as the torus has nodes, {}, found {}",
                                        text_of_sizes(), hosts_of(recipe))};
    if (recipe.oversubscription && cables == 0)
      return Error{"oversubscription", "a torus of one node has no cables"};
    std::int64_t nics = 0;
    for (const HostGroup& group : recipe.groups) {
      nics += std::int64_t{group.count} * group.host.nics;
      if (const std::int64_t ports = group.host.nics + 2 * cables; ports > node_.ports)
        return Error{
            "network.switch.ports",
            fmt::format("{} cables meet on a switch that has {} ports", ports, node_.ports)};
    }
    return NetworkSize{nodes, 2 * (cables * nodes + nics)};
  }

  std::optional<Error> add(DeviceGraph& graph, const TopologyRecipe& recipe,
                           Topology& topology) const override {
    const std::vector<DeviceId> nodes = add_nodes(graph, topology.hosts.size());
    const Rows rows = rows_for(recipe);
    add_cables(graph, nodes, rows);
    const std::array<Bandwidth, 2> halves = add_hosts(graph, recipe, topology, nodes);
    topology.network.oversubscription = ratio(rows, recipe);
    topology.network.sizes = {rows_[0].size, rows_[1].size, rows_[2].size};
    topology.network.bisection = std::min({halves[0], halves[1], cut(rows)});
    topology.network_power = node_.power * static_cast<double>(nodes.size());
    return std::nullopt;
  }

 private:
  // The rate of a node's NICs over that of its cables, all ways together; 1 without cables.
  static double ratio(const Rows& rows, const TopologyRecipe& recipe) {
    Bandwidth nics, cables;
    for (const HostGroup& group : recipe.groups)
      nics = std::max(nics, group.host.nic.bandwidth * group.host.nics);
    for (const Row& row : rows)
      if (row.size > 1) cables += 2 * row.cable.bandwidth;
    return cables > Bandwidth{} ? nics / cables : 1.0;
  }

  // Another ratio makes all cables slower or faster alike.
  Rows rows_for(const TopologyRecipe& recipe) const {
    Rows rows = rows_;
    if (recipe.oversubscription)
      for (Row& row : rows)
        row.cable.bandwidth =
            row.cable.bandwidth * (ratio(rows_, recipe) / *recipe.oversubscription);
    return rows;
  }

  std::vector<DeviceId> add_nodes(DeviceGraph& graph, std::size_t count) const {
    std::vector<DeviceId> nodes;
    const PartId part = graph.part(node_.part);
    for (int node = 0; node < static_cast<int>(count); ++node) {
      const std::string x = std::to_string(node % rows_[0].size);
      const std::string y = std::to_string(node / rows_[0].size % rows_[1].size);
      const std::string z = std::to_string(node / rows_[0].size / rows_[1].size);
      nodes.push_back(graph.add(
          {DeviceKind::network_switch, "node(" + x + "," + y + "," + z + ")", {}, node, 1, part}));
    }
    return nodes;
  }

  // From each node forwards, so that "there" is the positive way.
  static void add_cables(DeviceGraph& graph, const std::vector<DeviceId>& nodes, const Rows& rows) {
    int stride = 1;
    for (const Row& row : rows) {
      for (int node = 0; row.size > 1 && node < static_cast<int>(nodes.size()); ++node)
        graph.connect(nodes[static_cast<std::size_t>(node)],
                      nodes[static_cast<std::size_t>(neighbour(node, stride, row.size, true))],
                      LinkKind::network, row.cable);
      stride *= row.size;
    }
  }

  // What the NICs of the first half of the hosts carry, and those of the second.
  std::array<Bandwidth, 2> add_hosts(DeviceGraph& graph, const TopologyRecipe& recipe,
                                     const Topology& topology,
                                     const std::vector<DeviceId>& nodes) const {
    std::array<Bandwidth, 2> halves{};
    for (std::size_t host = 0; host < nodes.size(); ++host) {
      const std::size_t group = static_cast<std::size_t>(topology.hosts[host].spec);
      const WireRecipe cable = host_cable(recipe.groups[group].host.nic, host_link_, 1);
      for (const DeviceId nic : topology.hosts[host].nics) {
        graph.connect(nic, nodes[host], LinkKind::network, cable);
        halves[host < nodes.size() / 2 ? 0 : 1] += cable.bandwidth;
      }
    }
    return halves;
  }

  // One direction, half of the hosts against half: every row of the last dimension is cut twice.
  // Rows of odd length are not halved by host: not known.
  static Bandwidth cut(const Rows& rows) {
    int nodes = 1;
    for (const Row& row : rows) nodes *= row.size;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row)
      if (row->size > 1)
        return row->size % 2 == 0 ? row->cable.bandwidth * (2.0 * nodes / row->size) : Bandwidth{};
    return {};
  }

  std::string text_of_sizes() const {
    std::string text;
    for (const Row& row : rows_) text += (text.empty() ? "" : " x ") + std::to_string(row.size);
    return text;
  }

  SwitchRecipe node_;
  WireRecipe host_link_;
  Rows rows_;
};

// The link from a node to its neighbour in a row; a row of two has two such, one per direction.
LinkId cable_to(const Topology& topology, DeviceId node, int neighbour, bool forwards) {
  for (const LinkId link : topology.outgoing[node.index()]) {
    const Device& other = topology.device(topology.link(link).to);
    if (other.kind == DeviceKind::network_switch && other.ordinal == neighbour &&
        (link.value % 2 == 0) == forwards)
      return link;
  }
  return {};
}

}  // namespace

std::vector<LinkId> dimension_ordered(const Topology& topology, DeviceId from, DeviceId to) {
  std::vector<LinkId> way;
  int node = topology.device(from).ordinal, stride = 1;
  const int goal = topology.device(to).ordinal;
  for (const int size : topology.network.sizes) {
    const int ahead = (goal / stride % size - node / stride % size + size) % size;
    const bool forwards = 2 * ahead <= size;
    for (int left = forwards ? ahead : size - ahead; left > 0; --left) {
      node = neighbour(node, stride, size, forwards);
      way.push_back(cable_to(topology, from, node, forwards));
      from = topology.link(way.back()).to;
    }
    stride *= size;
  }
  return way;
}

extern const NetworkFamily torus{"torus",
                                 [](JsonObject& network) -> std::unique_ptr<NetworkRecipe> {
                                   return std::make_unique<Torus>(network);
                                 },
                                 &dimension_ordered};

}  // namespace quintet
