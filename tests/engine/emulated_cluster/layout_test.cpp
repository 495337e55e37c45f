#include "engine/emulated_cluster/layout.h"

#include <algorithm>

#include "sim/network/route/route.h"
#include "tests/engine/emulated_cluster/small_clusters.h"

namespace quintet::engine {
namespace {

using Links = std::vector<LinkId>;

// Follows the layout's routes as the kernel would: a rule for the pair first, else the host's way.
Links followed(const ClusterLayout& layout, std::size_t from, std::size_t to) {
  Links links;
  for (std::size_t at = from; at != to && links.size() < 10;) {
    const HostRoute* way = nullptr;
    for (const HostRoute& route : layout.routes)
      if (route.space == at && route.to == to && (route.from == from || (!route.from && !way)))
        way = &route;
    if (way == nullptr) return {};
    const Cable& cable = layout.cables[way->cable];
    links.push_back(cable.ends[way->end].link);
    at = cable.ends[1 - way->end].space;
  }
  return links;
}

Links simulated(const Topology& topology, const Network& network, DeviceId from, DeviceId to) {
  const Router router(topology, network);
  Links links;
  for (const RouteShare& part : router.route(nic_of(topology, from), nic_of(topology, to)).links)
    links.push_back(part.link);
  return links;
}

// Two leaves of four hosts, and two cables from each leaf to each of two spines: routes part.
Topology many_ways() {
  return small_machine({8, 1, "100 Mb/s",
                        R"("family": "fat_tree", "children": [4, 2], "parents": [1, 2], )"
                        R"("cables": [1, 2], "trunk": {"name": "trunk", )"
                        R"("bandwidth": "100 Mb/s", "latency": "10 us", "source": "test"}, )",
                        "10 us"});
}

void expect_the_simulators_routes(const Network& network) {
  const Topology topology = many_ways();
  const std::vector<DeviceId> slots = rank_slots(topology);
  const Result<ClusterLayout> layout = cluster_layout(topology, slots, {network});
  ASSERT_TRUE(layout) << layout.error().text();
  for (std::size_t from = 0; from < slots.size(); ++from)
    for (std::size_t to = 0; to < slots.size(); ++to)
      if (from != to) {
        EXPECT_EQ(followed(*layout, from, to), simulated(topology, network, slots[from], slots[to]))
            << from << " to " << to;
      }
}

TEST(ClusterLayout, MessagesTakeTheLinksOfTheSimulatorWhenPinned) {
  expect_the_simulators_routes({Routing::rail_pinned});
}

TEST(ClusterLayout, MessagesTakeTheLinksOfTheSimulatorWhenHashed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    expect_the_simulators_routes({Routing::ecmp, seed});
}

TEST(ClusterLayout, HashedRoutesPartWhereOneWayPerHostWouldBeWrong) {
  const Topology topology = many_ways();
  const Result<ClusterLayout> layout =
      cluster_layout(topology, rank_slots(topology), {{Routing::ecmp, 1}});
  ASSERT_TRUE(layout);
  EXPECT_TRUE(std::any_of(layout->routes.begin(), layout->routes.end(),
                          [](const HostRoute& route) { return route.from.has_value(); }));
}

TEST(ClusterLayout, HostsWithoutRanksAreNotMade) {
  const Topology topology = small_machine({4});
  const std::vector<DeviceId> slots = rank_slots(topology);
  const Result<ClusterLayout> layout = cluster_layout(topology, {slots[3], slots[1]}, {});
  ASSERT_TRUE(layout);
  // Ranks 0 and 1 are on hosts 3 and 1; with the switch three spaces, a cable each.
  EXPECT_EQ(layout->places, (std::vector<RankPlace>{{"host3", "10.77.0.1", "nic0"},
                                                    {"host1", "10.77.0.2", "nic0"}}));
  EXPECT_EQ(layout->spaces.size(), 3u);
  EXPECT_EQ(layout->cables.size(), 2u);
}

TEST(ClusterLayout, RanksOfOneHostShareIt) {
  const Topology topology = small_machine({2, 2});
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->space_of_rank, (std::vector<std::size_t>{0, 0, 1, 1}));
  EXPECT_EQ(layout->places[0], layout->places[1]);
}

// Over which cables a message goes that leaves by one interface for another.
std::vector<std::size_t> cables_between(const ClusterLayout& layout, std::size_t from,
                                        std::size_t to) {
  std::vector<std::size_t> cables;
  std::size_t at = layout.interfaces[from]->space;
  for (std::size_t hops = 0; hops < 10 && at != layout.interfaces[to]->space; ++hops)
    for (const HostRoute& route : layout.routes)
      if (route.space == at && route.to == to && !route.from) {
        cables.push_back(route.cable);
        at = layout.cables[route.cable].ends[1 - route.end].space;
        break;
      }
  return cables;
}

// The hosts' interfaces are 0, 1 and 2, 3; the first of one leads to the first of the other, the
// second to the second, over cables of their own.
TEST(ClusterLayout, AHostWithTwoNicsHasTwoInterfaces) {
  SmallMachine machine;
  machine.nics = 2;
  const Topology topology = small_machine(machine);
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_TRUE(layout) << layout.error().text();
  EXPECT_EQ(layout->places,
            (std::vector<RankPlace>{{"host0", "10.77.0.1", "nic0", {"10.77.0.2"}},
                                    {"host1", "10.77.0.3", "nic0", {"10.77.0.4"}}}));
  EXPECT_EQ(layout->spaces.size(), 3u);
  ASSERT_EQ(layout->cables.size(), 4u);
  const auto cable = [&](std::size_t interface) { return layout->interfaces[interface]->cable; };
  for (const auto& [from, to] : {std::pair{0u, 2u}, {2u, 0u}, {1u, 3u}, {3u, 1u}})
    EXPECT_EQ(cables_between(*layout, from, to), (std::vector{cable(from), cable(to)}));
}

// Ranks of one host that have a NIC each: each has its own first.
TEST(ClusterLayout, RanksOfOneHostMaySendThroughDifferentNics) {
  SmallMachine machine;
  machine.slots = machine.nics = 2;
  const Topology topology = small_machine(machine);
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_TRUE(layout) << layout.error().text();
  EXPECT_EQ(layout->places[0], (RankPlace{"host0", "10.77.0.1", "nic0", {"10.77.0.2"}}));
  EXPECT_EQ(layout->places[1], (RankPlace{"host0", "10.77.0.2", "nic1", {"10.77.0.1"}}));
}

TEST(ClusterLayout, OneHostAloneNeedsNoNetwork) {
  const Topology topology = small_machine({1, 2});
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->places[1], (RankPlace{"host0", "127.0.0.1", "lo"}));
  EXPECT_TRUE(layout->cables.empty());
}

TEST(ClusterLayout, LinksTooFastForThisMachineAreRefusedByName) {
  const Topology topology = small_machine({2, 1, "25 Gb/s"});
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().text(),
            "box: link host0/nic0 -> leaf0 has 3.125 GB/s; this machine shapes links of up to "
            "1.25 GB/s");
}

TEST(ClusterLayout, WhatIsNotObeyedIsSaid) {
  const Topology topology = small_machine({2});
  EmulatedClusterOptions options;
  options.network.routing = Routing::spray;
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), options);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->deviations,
            (std::vector<std::string>{
                "network.routing spray: each pair of hosts keeps to one path, that of its hash",
                "latencies below 75 us (up to 10 us here): a hop takes what the kernel takes",
                "after a pause, a link lets what it carries in 0.4 ms, or 3 packets, pass at once",
                "inside hosts, links and memory have this machine's speed"}));
}

TEST(ClusterLayout, RatesThatThisMachineHardlyReachesAreSaid) {
  const Topology topology = small_machine({2, 1, "10 Gb/s"});
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->deviations[1],
            "rates above 625 MB/s: hardly reached (two cores carried 67 % of 1.25 GB/s)");
}

TEST(ClusterLayout, LatenciesWorthADelayGetOne) {
  const Topology topology = small_machine({2, 1, "100 Mb/s", SmallMachine{}.network, "2 ms"});
  const Result<ClusterLayout> layout = cluster_layout(topology, rank_slots(topology), {});
  ASSERT_TRUE(layout);
  for (const Cable& cable : layout->cables)
    for (const CableEnd& end : cable.ends) EXPECT_EQ(end.delay, topology.link(end.link).latency);
}

}  // namespace
}  // namespace quintet::engine
