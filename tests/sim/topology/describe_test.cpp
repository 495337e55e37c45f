#include "sim/topology/describe/describe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/topology/describe/readable.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;
using test::device;

Topology sixteen() {
  return built(test::cpu_host(), 16, test::tree("fat_tree", 4, ", \"tiers\": 3"));
}

void expect_contains(const std::string& text, const std::string& piece) {
  EXPECT_NE(text.find(piece), std::string::npos) << piece << "\nis not in\n" << text;
}

// 16 slots, 16 buses, 16 NICs, 8 + 8 + 4 switches.
TEST(Summary, CountsDevicesByKindAndTier) {
  const std::vector<DeviceCount> expected{
      {DeviceKind::cpu, 0, 16},           {DeviceKind::pcie_switch, 0, 16},
      {DeviceKind::nic, 0, 16},           {DeviceKind::network_switch, 1, 8},
      {DeviceKind::network_switch, 2, 8}, {DeviceKind::network_switch, 3, 4}};
  EXPECT_EQ(summary(sixteen()).devices, expected);
}

// 16 x (slot, NIC) PCIe wires, 16 host links and 32 trunks, two directions each.
TEST(Summary, CountsEveryLink) {
  int pcie = 0;
  int network = 0;
  for (const LinkCount& count : summary(sixteen()).links)
    (count.kind == LinkKind::pcie ? pcie : network) += count.count;
  EXPECT_EQ(pcie, 64);
  EXPECT_EQ(network, 96);
}

// 2 hosts x 8 GPUs: 16 x 400 W, 2 x 1 kW, one switch of 1 kW, 16 x 2 $/h.
TEST(Summary, AddsUpPowerAndPrice) {
  const TopologySummary facts =
      summary(built(test::gpu_host(8, 8), 2, test::tree("single_switch", 16)));
  EXPECT_EQ(facts.gpu_power, Watts{6400});
  EXPECT_EQ(facts.host_power, Watts{2000});
  EXPECT_EQ(facts.network_power, Watts{1000});
  EXPECT_EQ(facts.price, DollarsPerHour{32});
}

TEST(Describe, NamesTheNetworkWithBothBisections) {
  const std::string text = describe(sixteen());
  expect_contains(text, "fat_tree, infiniband");
  expect_contains(text, "400 GB/s (closed form), 400 GB/s (max-flow)");
  expect_contains(text, "6 links, NIC to NIC");
  expect_contains(text, "source: test");
}

// Four PCIe links of 250 ns, two host links of 1 us: 3 us; PCIe at 25 GB/s is the narrowest.
TEST(DescribePath, AddsUpLatencyAndNamesEachOriginOnce) {
  const Topology topology = built(test::gpu_host(8, 8), 2, test::tree("single_switch", 16));
  const std::string text =
      describe_path(topology, device(topology, "host0/gpu0"), device(topology, "host1/gpu0"));
  expect_contains(text, "host0/gpu0 to host1/gpu0: 6 links, narrowest 25 GB/s, latency 3 us");
  expect_contains(text, "[1] pcie\n      source: test");
  expect_contains(text, "[2] nic to switch: cable\n      source: rate: test; latency: test");
  EXPECT_EQ(text.find("[3]"), std::string::npos);
}

TEST(TopologyJson, IsJsonWithBaseUnitsInTheKeys) {
  const Topology topology = sixteen();
  const auto json = nlohmann::json::parse(topology_json_text(
      topology, std::pair{device(topology, "host0/cpu0"), device(topology, "host1/cpu0")}));
  EXPECT_EQ(json["hosts"], 16);
  EXPECT_EQ(json["network"]["bisection_bytes_per_second"], 400e9);
  EXPECT_EQ(json["network"]["bisection_by_max_flow_bytes_per_second"], 400e9);
  EXPECT_EQ(json["network"]["diameter_links"], 6);
  EXPECT_EQ(json["path"].size(), 6u);
  EXPECT_EQ(json["path"][2]["to"], "leaf0");
}

TEST(DeviceNamed, FindsOnlyWhatIsThere) {
  EXPECT_TRUE(device_named(sixteen(), "host3/nic0").has_value());
  EXPECT_FALSE(device_named(sixteen(), "host16/nic0").has_value());
}

TEST(Readable, PicksTheUnitThatFits) {
  EXPECT_EQ(readable(Seconds{3e-7}), "300 ns");
  EXPECT_EQ(readable(Seconds{}), "0 s");
  EXPECT_EQ(readable(Bandwidth{63.0153846e9}), "63.02 GB/s");
  EXPECT_EQ(readable(Bytes{85899345920.0}), "80 GiB");
  EXPECT_EQ(readable(FlopRate{989.4e12}), "989.4 TFLOP/s");
  EXPECT_EQ(readable(Watts{716'800}), "716.8 kW");
  EXPECT_EQ(readable(DollarsPerHour{3072}), "3072.00 $/h");
}

}  // namespace
}  // namespace quintet
