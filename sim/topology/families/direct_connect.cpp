// Hosts joined by circuits, without switches: an optical patch panel is set for a job, and hosts
// pass on what is for others (TopoOpt, NSDI'23, arXiv 2202.00433). A circuit carries one way, from
// one NIC's transmitter to another's receiver. Every host is a node with its NICs:
//
//    rings: 2, of strides 1 and 2        (0)-1->(1)-1->(2)-1->(3)-1->(4)-1->(0)
//                                        (0)-2->(2)-2->(4)-2->(1)-2->(3)-2->(0)
//
//    block: 3, chain: 1                  rings inside (0 1 2) and inside (3 4 5), and circuits
//                                        0 <-> 3, 1 <-> 4, 2 <-> 5 for what stages send
//
// Its static route is the way of fewest hops: with rings alone that is the least number of strides
// that sum to the distance, TopoOpt's "coin change" routing.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "sim/json/json_fields.h"
#include "sim/topology/circuits.h"
#include "sim/topology/families/network_family.h"
#include "sim/topology/recipe/device_graph.h"
#include "sim/topology/recipe/fields.h"

namespace quintet {
namespace {

constexpr int most_circuits = 64;  // of one kind that leave a host

class DirectConnect final : public NetworkRecipe {
 public:
  explicit DirectConnect(JsonObject& network)
      : node_(read_switch(network, "switch")),
        host_link_(read_wire_of(network, "host_link", read_latency_only)),
        circuit_(read_wire_of(
            network,
            {"circuit", "direct_connect: from a NIC to another host's; the rate is the NIC's"},
            read_latency_only)),
        rings_(network.integer_or(
            {"rings",
             "direct_connect: rings over a block's hosts, of strides that TotientPerms "
             "chooses; a circuit each leaves every host"},
            0, 0, most_circuits)),
        strides_(network.integers_or(
            {"strides", "direct_connect: instead of rings, the stride of each"}, {}, 1, 1 << 17)),
        block_(network.integer_or(
            {"block",
             "direct_connect: so many hosts that follow one another have rings of their "
             "own; left out: all"},
            0, 1, 1 << 17)),
        chain_(network.integer_or(
            {"chain",
             "direct_connect: circuits from each host to the host in its place in the next "
             "block, and as many back"},
            0, 0, most_circuits)) {
    if (rings_ > 0 && !strides_.empty())
      network.fail("rings", "says the same as \"strides\"; give one of them");
  }

  Result<NetworkSize> size(const TopologyRecipe& recipe) const override {
    if (const auto error = fault_of(recipe)) return *error;
    const std::int64_t hosts = hosts_of(recipe);
    const std::int64_t nics = hosts * recipe.groups.front().host.nics;
    const std::int64_t chained = hosts - block_of(recipe);
    return NetworkSize{hosts, 2 * (nics + hosts * ring_count(recipe) + 2 * chain_ * chained)};
  }

  std::optional<Error> add(DeviceGraph& graph, const TopologyRecipe& recipe,
                           Topology& topology) const override {
    const HostRecipe& host = recipe.groups.front().host;
    const std::vector<DeviceId> nodes = add_nodes(graph, recipe, topology);
    const int hosts = hosts_of(recipe), block = block_of(recipe);
    const WireRecipe there = host_cable(host.nic, circuit_, 1);
    const std::vector<int> strides = strides_of(recipe);
    for (int from = 0; from < hosts; ++from) {
      const int first = from / block * block;
      for (const int stride : strides)
        join(graph, nodes, there, from, first + (from - first + stride) % block);
      for (int i = 0; i < chain_ && from + block < hosts; ++i) {
        join(graph, nodes, there, from, from + block);
        join(graph, nodes, there, from + block, from);
      }
    }
    const int leaving = ring_count(recipe) + chained_ways(recipe);
    topology.network.circuits = leaving;
    topology.network.oversubscription = static_cast<double>(host.nics) / std::max(1, leaving);
    topology.network_power = node_.power * static_cast<double>(nodes.size());
    return std::nullopt;
  }

 private:
  int block_of(const TopologyRecipe& recipe) const {
    return block_ > 0 ? block_ : hosts_of(recipe);
  }
  std::vector<int> strides_of(const TopologyRecipe& recipe) const {
    if (!strides_.empty() || rings_ == 0) return strides_;
    return select_strides(block_of(recipe), rings_);
  }
  int ring_count(const TopologyRecipe& recipe) const {
    return static_cast<int>(strides_of(recipe).size());
  }
  // Circuits of the chain that leave the host with most of them.
  int chained_ways(const TopologyRecipe& recipe) const {
    return chain_ * std::min(2, hosts_of(recipe) / block_of(recipe) - 1);
  }

  std::optional<Error> fault_of(const TopologyRecipe& recipe) const {
    const int nics = recipe.groups.front().host.nics;
    if (recipe.groups.size() > 1)
      return Error{"host_groups", "circuits join hosts of one kind; use another family"};
    if (recipe.oversubscription)
      return Error{"oversubscription", "circuits have the rate of a NIC; change network.rings"};
    if (const int hosts = hosts_of(recipe); hosts % block_of(recipe) != 0)
      return Error{"network.block", fmt::format("{} does not divide the {} hosts", block_, hosts)};
    if (const auto error = wrong_stride(block_of(recipe), strides_of(recipe))) return error;
    if (chain_ == 0 && block_of(recipe) < hosts_of(recipe))
      return Error{"network.chain",
                   "nothing joins the blocks of hosts; use 1 or more, or leave \"block\" out"};
    const int leaving = ring_count(recipe) + chained_ways(recipe);
    if (leaving == 0 || leaving > nics)
      return Error{"network.rings",
                   fmt::format("{} circuits would leave a host of {} NICs: use 1 to {}, rings and "
                               "both ways of the chain together",
                               leaving, nics, nics)};
    return std::nullopt;
  }

  static std::optional<Error> wrong_stride(int hosts, const std::vector<int>& strides) {
    for (std::size_t i = 0; i < strides.size(); ++i)
      if (const int common = std::gcd(strides[i], hosts); common != 1)
        return Error{fmt::format("network.strides[{}]", i),
                     fmt::format("{} visits only {} of {} hosts; use one without a divisor in "
                                 "common with {}",
                                 strides[i], hosts / common, hosts, hosts)};
    return std::nullopt;
  }

  std::vector<DeviceId> add_nodes(DeviceGraph& graph, const TopologyRecipe& recipe,
                                  const Topology& topology) const {
    std::vector<DeviceId> nodes;
    const PartId part = graph.part(node_.part);
    const WireRecipe cable = host_cable(recipe.groups.front().host.nic, host_link_, 1);
    for (std::size_t host = 0; host < topology.hosts.size(); ++host) {
      nodes.push_back(graph.add({DeviceKind::network_switch,
                                 fmt::format("node{}", host),
                                 {},
                                 static_cast<int>(host),
                                 1,
                                 part}));
      for (const DeviceId nic : topology.hosts[host].nics)
        graph.connect(nic, nodes.back(), LinkKind::network, cable);
    }
    return nodes;
  }

  // Wires are pairs of links: the way back carries nothing (routes leave such links out).
  static void join(DeviceGraph& graph, const std::vector<DeviceId>& nodes, const WireRecipe& there,
                   int from, int to) {
    WireRecipe dark = there;
    dark.bandwidth = {};
    graph.connect(nodes[static_cast<std::size_t>(from)], nodes[static_cast<std::size_t>(to)],
                  LinkKind::network, there, dark);
  }

  SwitchRecipe node_;
  WireRecipe host_link_, circuit_;
  int rings_ = 0;
  std::vector<int> strides_;
  int block_ = 0;
  int chain_ = 0;
};

}  // namespace

extern const NetworkFamily direct_connect{
    "direct_connect", [](JsonObject& network) -> std::unique_ptr<NetworkRecipe> {
      return std::make_unique<DirectConnect>(network);
    }};

}  // namespace quintet
