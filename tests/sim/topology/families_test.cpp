#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "sim/topology/file/topology_file.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;
using test::device;

// The one switch a device is cabled to.
std::string leaf_of(const Topology& topology, const std::string& nic) {
  for (const LinkId link : topology.outgoing[device(topology, nic).index()])
    if (topology.link(link).kind == LinkKind::network)
      return topology.device(topology.link(link).to).name;
  return {};
}

// Al-Fares et al. 2008, on the built graph.
TEST(FatTree, IsBuiltAsCounted_D1) {
  const Topology topology =
      built(test::cpu_host(), 16, test::tree("fat_tree", 4, ", \"tiers\": 3"));
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 8);
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 2), 8);
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 3), 4);
  EXPECT_EQ(test::trunks(topology), 32);
  EXPECT_EQ(topology.network, (NetworkShape{"fat_tree", 3, 1.0, Bandwidth{400e9}}));
  EXPECT_EQ(topology.network_power, Watts{20e3});
}

// By maximum flow: k = 16, hosts at 50 GB/s: bisection 25,600 GB/s (k^3/8 = 512 links).
TEST(FatTree, OfSixteenPortsBisectsAtHalfItsHosts_D9) {
  const Topology topology =
      built(test::cpu_host(), 1024, test::tree("fat_tree", 16, ", \"tiers\": 3"));
  EXPECT_EQ(topology.network.bisection, Bandwidth{25'600e9});
}

// Al-Fares et al. 2008, k = 64, as a graph of 65,536 hosts.
TEST(FatTree, WithSixtyFiveThousandHostsIsBuiltInSeconds_D1) {
  const std::string text =
      test::machine(test::cpu_host(), 65'536, test::tree("fat_tree", 64, ", \"tiers\": 3"));
  const auto start = std::chrono::steady_clock::now();
  const Result<Topology> topology = test::parsed(text);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(topology.has_value()) << topology.error().text();
  EXPECT_EQ(test::count(*topology, DeviceKind::network_switch, 1), 2048);
  EXPECT_EQ(test::count(*topology, DeviceKind::network_switch, 2), 2048);
  EXPECT_EQ(test::count(*topology, DeviceKind::network_switch, 3), 1024);
  EXPECT_EQ(test::trunks(*topology), 131'072);
  std::cout << "65,536 hosts built in " << time.count() << " s\n";
  EXPECT_LT(time.count(), 30.0);  // under sanitizers too
}

TEST(FatTree, FillsLeavesHostByHost) {
  const Topology topology = built(test::gpu_host(8, 8), 4, test::tree("fat_tree", 16));
  EXPECT_EQ(leaf_of(topology, "host0/nic0"), "leaf0");
  EXPECT_EQ(leaf_of(topology, "host0/nic7"), "leaf0");
  EXPECT_EQ(leaf_of(topology, "host3/nic0"), "leaf3");
}

// Groups of 2 hosts, 8 rails: NIC r of group g hangs on leaf 8 g + r.
TEST(RailOptimised, PutsNicROfAGroupOnLeafR) {
  const Topology topology =
      built(test::gpu_host(8, 8), 4, test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2"));
  EXPECT_EQ(leaf_of(topology, "host0/nic5"), "leaf5");
  EXPECT_EQ(leaf_of(topology, "host1/nic5"), "leaf5");
  EXPECT_EQ(leaf_of(topology, "host2/nic5"), "leaf13");
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 16);
}

// Down 4 x 50 GB/s, up 2 x 50: 2 : 1; 16 hosts on 4 leaves send 4 x 100 / 2 across.
TEST(FatTree, OversubscribedBisectsAtItsUplinks) {
  const Topology topology =
      built(test::cpu_host(), 16, test::tree("fat_tree", 6, ", \"oversubscription\": 2"));
  EXPECT_EQ(topology.network, (NetworkShape{"fat_tree", 2, 2.0, Bandwidth{200e9}}));
}

// HPN, 15 segments of 1,024 GPUs = 15,360; 240 leaves, 120 spines; every NIC has a
// 200G port in each of two planes.
TEST(RailOptimised, InTwoPlanesBuildsHpn_D6) {
  const std::string network = test::tree(
      "rail_optimised", 188,
      R"(, "hosts_per_leaf": 128, "leaf_uplinks": 60, "planes": 2, "spine_switch": {"name": "s",
          "ports": 128, "power": "1 kW", "source": "test"})");
  const Topology topology = built(test::gpu_host(8, 8), 1920, network);
  EXPECT_EQ(rank_slots(topology).size(), 15'360u);
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 240);
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 2), 120);
  const DeviceId nic = device(topology, "host0/nic0");
  Bandwidth rate;
  for (const LinkId link : topology.outgoing[nic.index()])
    if (topology.link(link).kind == LinkKind::network) rate += topology.link(link).bandwidth;
  EXPECT_EQ(rate, Bandwidth{50e9});
}

TEST(SingleSwitch, JoinsAllNics) {
  const Topology topology = built(test::cpu_host(), 4, test::tree("single_switch", 4));
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 1);
  EXPECT_EQ(topology.network, (NetworkShape{"single_switch", 1, 1.0, Bandwidth{100e9}}));
}

TEST(Topology, OfEqualFilesIsEqual) {
  const std::string network = test::tree("fat_tree", 4, ", \"tiers\": 3");
  EXPECT_EQ(built(test::cpu_host(), 16, network), built(test::cpu_host(), 16, network));
  EXPECT_NE(built(test::cpu_host(), 16, network), built(test::cpu_host(), 15, network));
}

}  // namespace
}  // namespace quintet
