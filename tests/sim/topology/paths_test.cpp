#include "sim/topology/describe/paths.h"

#include <gtest/gtest.h>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;
using test::device;

std::vector<std::string> stations(const Topology& topology, const std::string& from,
                                  const std::string& to) {
  std::vector<std::string> names{from};
  for (const LinkId link : shortest_path(topology, device(topology, from), device(topology, to)))
    names.push_back(topology.device(topology.link(link).to).name);
  return names;
}

using Stations = std::vector<std::string>;

TEST(Path, BetweenGpusOfAHostTakesNvlinkBeforePcie) {
  const Topology topology = built(test::gpu_host(8, 8), 1, "");
  EXPECT_EQ(stations(topology, "host0/gpu0", "host0/gpu1"),
            (Stations{"host0/gpu0", "host0/nvswitch0", "host0/gpu1"}));
}

TEST(Path, ToTheNicOfItsSwitchDoesNotMeetACpu) {
  const Topology topology = built(test::gpu_host(8, 8), 1, "");
  EXPECT_EQ(stations(topology, "host0/gpu3", "host0/nic3"),
            (Stations{"host0/gpu3", "host0/pcie1", "host0/nic3"}));
}

// GPUs do not forward: not over NVLink to gpu7 and from there to its NIC, although that is shorter.
TEST(Path, ToAFarNicCrossesTheSocketsAndNoGpu) {
  const Topology topology = built(test::gpu_host(8, 8), 1, "");
  EXPECT_EQ(stations(topology, "host0/gpu0", "host0/nic7"),
            (Stations{"host0/gpu0", "host0/pcie0", "host0/cpu0", "host0/cpu1", "host0/pcie3",
                      "host0/nic7"}));
}

TEST(Path, OfOneRailInOneGroupPassesOneLeaf) {
  const Topology topology =
      built(test::gpu_host(8, 8), 4, test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2"));
  EXPECT_EQ(stations(topology, "host0/gpu2", "host1/gpu2"),
            (Stations{"host0/gpu2", "host0/pcie1", "host0/nic2", "leaf2", "host1/nic2",
                      "host1/pcie1", "host1/gpu2"}));
}

// GPUs of one PCIe switch share two rails, so the shortest way may enter by the neighbour's NIC.
TEST(Path, AcrossRailsOfOneSwitchStaysOnOneLeaf) {
  const Topology topology =
      built(test::gpu_host(8, 8), 4, test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2"));
  EXPECT_EQ(stations(topology, "host0/gpu2", "host1/gpu3").size(), 7u);
}

// SimGrid's example: hosts 0 -> 5 of XGFT(2;4,4;1,2;1,2): 4 links; 0 -> 3: 2 links.
TEST(Path, InAFatTreeOfCountsHasTheLinksOfSimGrid_D3) {
  const std::string network =
      test::tree("fat_tree", 8, R"(, "children": [4, 4], "parents": [1, 2], "cables": [1, 2])");
  const Topology topology = built(test::cpu_host(), 16, network);
  const auto links = [&](const char* from, const char* to) {
    return shortest_path(topology, device(topology, from), device(topology, to)).size();
  };
  EXPECT_EQ(links("host0/nic0", "host5/nic0"), 4u);
  EXPECT_EQ(links("host0/nic0", "host3/nic0"), 2u);
  EXPECT_EQ(test::trunks(topology), 16);
}

TEST(Path, FromADeviceToItselfIsEmpty) {
  const Topology topology = built(test::gpu_host(8, 8), 1, "");
  const DeviceId gpu = device(topology, "host0/gpu0");
  EXPECT_TRUE(shortest_path(topology, gpu, gpu).empty());
}

// Two planes meet in no switch but in every NIC; hosts must not be a bridge between them.
TEST(Path, DoesNotLeadThroughTheNicsOfThirdHosts) {
  const Topology topology =
      built(test::gpu_host(8, 8), 4,
            test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2, \"planes\": 2"));
  EXPECT_TRUE(
      shortest_path(topology, device(topology, "leaf0"), device(topology, "leaf16")).empty());
}

// Two links per tier that is climbed: up and down, NIC to NIC.
TEST(Diameter, IsTwoLinksPerTier) {
  const auto diameter = [](int hosts, const std::string& network) {
    return network_diameter(built(test::cpu_host(), hosts, network));
  };
  EXPECT_EQ(diameter(4, test::tree("single_switch", 4)), 2);
  EXPECT_EQ(diameter(8, test::tree("fat_tree", 4, ", \"tiers\": 3")), 4);
  EXPECT_EQ(diameter(16, test::tree("fat_tree", 4, ", \"tiers\": 3")), 6);
  EXPECT_EQ(network_diameter(built(test::gpu_host(8, 8), 1, "")), std::nullopt);
}

}  // namespace
}  // namespace quintet
