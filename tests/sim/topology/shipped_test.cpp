// The files in topologies/.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "sim/topology/describe/bisection.h"
#include "sim/topology/describe/paths.h"
#include "sim/topology/file/topology_file.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;
using test::device;

const fs::path directory = QUINTET_SOURCE_DIR "/topologies";

Topology shipped(const std::string& file, std::optional<int> hosts = std::nullopt) {
  TopologyOptions options;
  options.hosts = hosts;
  Result<Topology> topology = read_topology(directory / file, options);
  EXPECT_TRUE(topology.has_value()) << topology.error().text();
  return topology ? *topology : Topology{};
}

Seconds latency(const Topology& topology, const std::string& from, const std::string& to) {
  Seconds sum;
  for (const LinkId link : shortest_path(topology, device(topology, from), device(topology, to)))
    sum += topology.link(link).latency;
  return sum;
}

TEST(ShippedTopologies, AllLoad) {
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".json") continue;
    const Result<Topology> topology = read_topology(entry.path());
    EXPECT_TRUE(topology.has_value()) << topology.error().text();
    ++files;
  }
  EXPECT_GE(files, 9);
}

// 128 hosts in 4 groups of 32: 4 x 8 leaves; 32 x 32 uplinks on 64-port spines: 16. Half of 1,024
// x 50 GB/s.
TEST(ShippedTopologies, OneThousandH100AreRailOptimised) {
  const auto start = std::chrono::steady_clock::now();
  const Topology topology = shipped("dgx-h100-1024.json");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::cout << "1,024 H100 read and built in " << time.count() * 1e3 << " ms\n";
  EXPECT_EQ(rank_slots(topology).size(), 1024u);
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 32);
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 2), 16);
  EXPECT_EQ(topology.network, (NetworkShape{"rail_optimised", 2, 1.0, Bandwidth{25'600e9}}));
  EXPECT_EQ(bisection_by_flow(topology), Bandwidth{25'600e9});
}

// Insights into DeepSeek-V3 (ISCA 2025), Table 5, InfiniBand: 2.8 us under one leaf, 3.7 us across.
TEST(ShippedTopologies, LatenciesAddUpToTheMeasuredOnes) {
  const Topology topology = shipped("dgx-h100-1024.json");
  EXPECT_NEAR(latency(topology, "host0/gpu0", "host1/gpu0").value, 2.8e-6, 1e-12);
  EXPECT_NEAR(latency(topology, "host0/gpu0", "host40/gpu0").value, 3.7e-6, 1e-12);
}

// PCIe Gen5 x16 raw 63.0153846 GB/s.
TEST(ShippedTopologies, H100HasTheRawPcieRate_G2) {
  const Topology topology = shipped("dgx-h100-1.json");
  const LinkId link =
      shortest_path(topology, device(topology, "host0/gpu0"), device(topology, "host0/nic0"))[0];
  EXPECT_DOUBLE_EQ(topology.link(link).bandwidth.value, 63.0153846e9);
}

// 300 and 450 GB/s per direction and GPU.
TEST(ShippedTopologies, HaveTheNvlinkRatesOfTheirGenerations) {
  const auto rate = [](const std::string& file) {
    const Topology topology = shipped(file);
    const auto path =
        shortest_path(topology, device(topology, "host0/gpu0"), device(topology, "host0/gpu7"));
    return topology.link(path[0]).bandwidth;
  };
  EXPECT_EQ(rate("dgx-a100-1.json"), Bandwidth{300e9});
  EXPECT_EQ(rate("dgx-h100-1.json"), Bandwidth{450e9});
}

// 64, 280 and 512 GPUs, as in the runs of Korthikanti et al. 2022 on Selene; non-blocking.
TEST(ShippedTopologies, SeleneComesInTheSizesOfPublishedRuns) {
  for (const int hosts : {8, 35, 64}) {
    const Topology topology = shipped("selene-a100.json", hosts);
    EXPECT_EQ(rank_slots(topology).size(), static_cast<std::size_t>(hosts) * 8);
    EXPECT_LE(topology.network.oversubscription, 1.0);
    EXPECT_EQ(topology.network.bisection, Bandwidth{hosts * 8 * 25e9 / 2});
  }
}

// Extra latency on the first link only (papers: PipeMorph's toy pipeline).
TEST(ShippedTopologies, ToyPipelinesDelayTheirFirstLink) {
  for (const auto& [file, delay] :
       {std::pair{"pipeline-4.json", 0.0}, std::pair{"pipeline-4-10ms.json", 0.010},
        std::pair{"pipeline-4-20ms.json", 0.020}}) {
    const Topology topology = shipped(file);
    EXPECT_EQ(rank_slots(topology).size(), 4u);
    EXPECT_DOUBLE_EQ(latency(topology, "host0/gpu0", "host1/gpu0").value, delay);
    EXPECT_DOUBLE_EQ(latency(topology, "host1/gpu0", "host0/gpu0").value, delay);
    EXPECT_EQ(latency(topology, "host1/gpu0", "host3/gpu0"), Seconds{});
  }
}

TEST(ShippedTopologies, EveryPartSaysWhereItsNumbersComeFrom) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".json") continue;
    for (const Part& part : shipped(entry.path().filename()).parts)
      EXPECT_FALSE(part.source.empty());
  }
}

}  // namespace
}  // namespace quintet
