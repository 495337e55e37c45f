#include <gtest/gtest.h>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;
using test::device;

// 8 GPUs, 8 NICs, 4 PCIe switches, 2 sockets, 1 NVSwitch; cables: 8 NVLink, 8 + 8 + 4 PCIe,
// 1 socket.
TEST(GpuHost, HasItsDevicesAndWires) {
  const Topology host = built(test::gpu_host(8, 8), 1, "");
  EXPECT_EQ(test::count(host, DeviceKind::gpu), 8);
  EXPECT_EQ(test::count(host, DeviceKind::nic), 8);
  EXPECT_EQ(test::count(host, DeviceKind::pcie_switch), 4);
  EXPECT_EQ(test::count(host, DeviceKind::cpu), 2);
  EXPECT_EQ(test::count(host, DeviceKind::nvswitch), 1);
  EXPECT_EQ(host.links.size(), 2u * (8 + 8 + 8 + 4 + 1));
}

TEST(GpuHost, WiresAreNeighbouringLinksThereAndBack) {
  const Topology topology = built(test::gpu_host(8, 8), 2, test::tree("single_switch", 16));
  for (std::size_t i = 0; i < topology.links.size(); i += 2) {
    EXPECT_EQ(topology.links[i].from, topology.links[i + 1].to);
    EXPECT_EQ(topology.links[i].to, topology.links[i + 1].from);
  }
}

TEST(GpuHost, GivesEachGpuTheNicOfItsRail) {
  const Topology topology = built(test::gpu_host(8, 8), 2, test::tree("single_switch", 16));
  for (int gpu = 0; gpu < 8; ++gpu) {
    const std::string number = std::to_string(gpu);
    EXPECT_EQ(nic_of(topology, device(topology, "host1/gpu" + number)),
              device(topology, "host1/nic" + number));
    EXPECT_EQ(rail_of(topology, device(topology, "host1/gpu" + number)), gpu);
  }
}

// Four NICs, one per PCIe switch of two GPUs.
TEST(GpuHost, SharesANicBetweenTheGpusOfItsSwitch) {
  const Topology topology = built(test::gpu_host(8, 4), 1, "");
  EXPECT_EQ(rail_of(topology, device(topology, "host0/gpu0")), 0);
  EXPECT_EQ(rail_of(topology, device(topology, "host0/gpu1")), 0);
  EXPECT_EQ(rail_of(topology, device(topology, "host0/gpu6")), 3);
  EXPECT_EQ(rail_of(topology, device(topology, "host0/gpu7")), 3);
}

// Two NICs on switches 0 and 2 of 4: the GPUs of switches without one are dealt out evenly too.
TEST(GpuHost, SendsGpusWithoutANicOfTheirOwnToOneOfTheHost) {
  const Topology topology = built(test::gpu_host(8, 2), 1, "");
  EXPECT_EQ(rail_of(topology, device(topology, "host0/gpu2")), 0);
  EXPECT_EQ(rail_of(topology, device(topology, "host0/gpu7")), 1);
}

TEST(GpuHost, KnowsSocketAndNvswitchOfAGpu) {
  const Topology topology = built(test::gpu_host(8, 8), 2, test::tree("single_switch", 16));
  EXPECT_EQ(cpu_of(topology, device(topology, "host0/gpu3")), device(topology, "host0/cpu0"));
  EXPECT_EQ(cpu_of(topology, device(topology, "host0/gpu4")), device(topology, "host0/cpu1"));
  EXPECT_TRUE(
      nvswitch_connected(topology, device(topology, "host0/gpu0"), device(topology, "host0/gpu7")));
  EXPECT_FALSE(
      nvswitch_connected(topology, device(topology, "host0/gpu0"), device(topology, "host1/gpu0")));
}

TEST(CpuHost, HasARankSlotPerCpuAndOneNic) {
  const Topology topology = built(test::cpu_host(), 4, test::tree("single_switch", 4));
  EXPECT_EQ(rank_slots(topology).size(), 4u);
  EXPECT_EQ(topology.gpu_spec_of_host, (std::vector<int>{-1, -1, -1, -1}));
  EXPECT_EQ(nic_of(topology, device(topology, "host2/cpu0")), device(topology, "host2/nic0"));
  EXPECT_EQ(cpu_of(topology, device(topology, "host2/cpu0")), device(topology, "host2/cpu0"));
}

TEST(Hosts, OfSeveralKindsMakeAMixedCluster) {
  const std::string groups =
      "{\"name\": \"mixed\", \"host_groups\": [{\"host\": " + test::gpu_host(8, 8) +
      ", \"hosts\": 2}, {\"host\": " + test::gpu_host(4, 8) +
      "}], \"network\": " + test::tree("single_switch", 24) + "}";
  const Result<Topology> topology = test::parsed(groups);
  ASSERT_TRUE(topology.has_value()) << topology.error().text();
  EXPECT_EQ(topology->gpu_spec_of_host, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(rank_slots(*topology).size(), 20u);
}

TEST(GpuSpec, HasAPeakOnlyForTheTypesItLists) {
  const Topology topology = built(test::gpu_host(8, 8), 1, "");
  EXPECT_EQ(peak_rate(topology.gpu_specs[0], DataType::bf16), FlopRate{312e12});
  EXPECT_EQ(peak_rate(topology.gpu_specs[0], DataType::fp8), std::nullopt);
}

}  // namespace
}  // namespace quintet
