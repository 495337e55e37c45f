#include "sim/ccl/tuner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/sim/ccl/machines.h"

namespace quintet {
namespace {

using namespace literals;
using namespace machines;
using enum Algorithm;
using enum Protocol;

constexpr TunerVersion v28 = TunerVersion::nccl_2_28;
constexpr TunerVersion v30 = TunerVersion::nccl_2_30;
constexpr CollectiveKind all_reduce = CollectiveKind::all_reduce;
constexpr CollectiveKind all_gather = CollectiveKind::all_gather;
constexpr CollectiveKind reduce_scatter = CollectiveKind::reduce_scatter;

// Equal to the digits printed; `slack` is half of the last one.
void expect_printed(double value, double printed, double slack, const std::string& what) {
  EXPECT_NEAR(value, printed, slack + 1e-9) << what;
}

struct PrintedEntry {
  Algorithm algorithm;
  Protocol protocol;
  double latency;    // us
  double bandwidth;  // GB/s
};

// engine.md 4 prints one decimal, and none from 1000 on with an exception ("1190").
void expect_entries(TunerVersion version, CollectiveKind kind, const CommunicatorShape& shape,
                    const std::vector<PrintedEntry>& printed, double slack = 0.05) {
  for (const PrintedEntry& row : printed) {
    const auto entry = tuner_entry(version, kind, row.algorithm, row.protocol, shape);
    const std::string what = std::to_string(shape.nodes) + " nodes, algorithm " +
                             std::to_string(static_cast<int>(row.algorithm)) + " protocol " +
                             std::to_string(static_cast<int>(row.protocol));
    ASSERT_TRUE(entry) << what;
    expect_printed(entry->latency.value * 1e6, row.latency, slack, what + " latency");
    expect_printed(entry->bandwidth.value * 1e-9, row.bandwidth, slack, what + " bandwidth");
  }
}

struct PrintedChoice {
  Bytes size;
  Algorithm algorithm;
  Protocol protocol;
  double time;  // us
};

void expect_choices(TunerVersion version, CollectiveKind kind, const CommunicatorShape& shape,
                    const std::vector<PrintedChoice>& printed, double slack = 0.05) {
  for (const PrintedChoice& row : printed) {
    const auto choice = choose(version, kind, row.size, shape);
    const std::string what =
        std::to_string(shape.nodes) + " nodes, " + std::to_string(row.size.value) + " B";
    ASSERT_TRUE(choice) << what;
    EXPECT_EQ(choice->algorithm, row.algorithm) << what;
    EXPECT_EQ(choice->protocol, row.protocol) << what;
    expect_printed(choice->time.value * 1e6, row.time, slack, what);
  }
}

CommunicatorShape h100(int nodes) {
  return communicator_shape(8 * nodes, nodes, dgx_h100());
}

// engine.md 4, AllReduce table of DGX H100.
TEST(Tuner, ReproducesTheAllReduceTableOfH100) {
  expect_entries(v28, all_reduce, h100(1),
                 {{tree, ll, 15.2, 43.6},
                  {tree, ll128, 31.5, 128.8},
                  {tree, simple, 64.4, 165.6},
                  {ring, ll, 15.0, 80.6},
                  {ring, ll128, 40.6, 189.3},
                  {ring, simple, 56.0, 205.7},
                  {nvls, simple, 25.0, 272.0}});
  expect_entries(v28, all_reduce, h100(2),
                 {{tree, ll, 25.2, 16.6},
                  {tree, ll128, 48.5, 124.8},
                  {tree, simple, 92.4, 140.8},
                  {ring, ll, 40.0, 20.8},
                  {ring, ll128, 75.2, 156.6},
                  {ring, simple, 131.6, 204.8},
                  {nvls_tree, simple, 66.8, 246.2}});
  expect_entries(v28, all_reduce, h100(4),
                 {{tree, ll, 35.2, 8.7},
                  {tree, ll128, 65.5, 98.6},
                  {tree, simple, 120.4, 122.4},
                  {ring, ll, 78.8, 10.5},
                  {ring, ll128, 144.4, 151.5},
                  {ring, simple, 282.8, 198.2},
                  {nvls_tree, simple, 108.6, 187.9}});
  expect_entries(v28, all_reduce, h100(16),
                 {{tree, ll, 55.2, 8.7},
                  {tree, ll128, 99.5, 98.6},
                  {tree, simple, 176.4, 122.4},
                  {ring, ll, 311.6, 10.3},
                  {ring, ll128, 559.6, 148.0},
                  {nvls_tree, simple, 192.2, 183.4}});
  expect_entries(v28, all_reduce, h100(16), {{ring, simple, 1190, 193.5}}, 0.5);
  expect_entries(v28, all_reduce, h100(32),
                 {{tree, ll, 65.2, 8.7},
                  {tree, ll128, 116.5, 98.6},
                  {tree, simple, 204.4, 122.4},
                  {ring, ll, 622.0, 10.2},
                  {ring, ll128, 1113.2, 147.4},
                  {ring, simple, 2399.6, 192.8},
                  {nvls_tree, simple, 234.0, 182.7}});
}

// engine.md 4, "One node, ring: all-gather = reduce-scatter ..." and the lines after it.
TEST(Tuner, ReproducesTheOtherCollectivesOfH100) {
  for (const CollectiveKind kind : {all_gather, reduce_scatter}) {
    expect_entries(v28, kind, h100(1),
                   {{ring, ll, 10.8, 161.1},
                    {ring, ll128, 27.3, 378.5},
                    {ring, simple, 32.2, 411.4},
                    {nvls, simple, 25.0, 208.2}});
    expect_entries(
        v28, kind, h100(2),
        {{ring, ll, 23.3, 41.6}, {ring, ll128, 44.6, 313.2}, {ring, simple, 70.0, 409.6}});
    expect_entries(
        v28, kind, h100(4),
        {{ring, ll, 42.7, 21.1}, {ring, ll128, 79.2, 303.1}, {ring, simple, 145.6, 396.4}});
    expect_entries(
        v28, kind, h100(16),
        {{ring, ll, 159.1, 20.6}, {ring, ll128, 286.8, 295.9}, {ring, simple, 599.2, 387.0}});
  }
  expect_entries(v28, CollectiveKind::broadcast, h100(1),
                 {{ring, ll, 7.2, 141.0}, {ring, ll128, 15.9, 331.2}, {ring, simple, 11.8, 360.0}});
}

// engine.md 4, "AllReduce choice and time (us)".
TEST(Tuner, ReproducesTheChoicesOfH100) {
  expect_choices(v28, all_reduce, h100(1),
                 {{1_KiB, ring, ll, 15.0},
                  {64_KiB, ring, ll, 15.8},
                  {1_MiB, ring, ll, 28.0},
                  {4_MiB, nvls, simple, 40.4},
                  {16_MiB, nvls, simple, 86.7},
                  {64_MiB, nvls, simple, 271.7},
                  {256_MiB, nvls, simple, 1011.9},
                  {1_GiB, nvls, simple, 3972.6},
                  {4_GiB, nvls, simple, 15815.3}});
  expect_choices(v28, all_reduce, h100(2),
                 {{1_KiB, tree, ll, 25.3},
                  {64_KiB, tree, ll, 31.8},
                  {1_MiB, tree, ll128, 62.5},
                  {4_MiB, nvls_tree, simple, 83.8},
                  {16_MiB, nvls_tree, simple, 134.9},
                  {64_MiB, nvls_tree, simple, 339.4},
                  {256_MiB, nvls_tree, simple, 1157.2},
                  {1_GiB, nvls_tree, simple, 4428.3},
                  {4_GiB, nvls_tree, simple, 17512.8}});
  expect_choices(v28, all_reduce, h100(4),
                 {{1_KiB, tree, ll, 35.3},
                  {64_KiB, tree, ll, 47.8},
                  {1_MiB, tree, ll128, 83.2},
                  {4_MiB, tree, ll128, 118.7},
                  {16_MiB, nvls_tree, simple, 197.9},
                  {64_MiB, nvls_tree, simple, 465.8},
                  {256_MiB, nvls_tree, simple, 1537.4},
                  {1_GiB, ring, simple, 5813.6},
                  {4_GiB, ring, simple, 22066.5}});
  expect_choices(v28, all_reduce, h100(16),
                 {{1_KiB, tree, ll, 55.3},
                  {64_KiB, tree, ll, 67.8},
                  {1_MiB, tree, ll128, 117.2},
                  {4_MiB, tree, ll128, 152.7},
                  {16_MiB, nvls_tree, simple, 283.7},
                  {64_MiB, nvls_tree, simple, 558.0},
                  {256_MiB, nvls_tree, simple, 1655.6},
                  {1_GiB, nvls_tree, simple, 6045.8},
                  {4_GiB, nvls_tree, simple, 23606.6}});
}

// engine.md 3.1: ring/LL and NVLS cross at 1.15 MB on one node; 2 MiB 41.0 against 32.7 us.
TEST(Tuner, CrossesFromRingToNvlsAboveOneMegabyte) {
  expect_choices(
      v28, all_reduce, h100(1),
      {{1.14_MB, ring, ll, 29.1}, {1.17_MB, nvls, simple, 29.3}, {2_MiB, nvls, simple, 32.7}});
  const auto ring_time =
      choose(v28, all_reduce, 2_MiB, h100(1), {.algorithm = ring, .protocol = ll});
  ASSERT_TRUE(ring_time);
  expect_printed(ring_time->time.value * 1e6, 41.0, 0.05, "ring/LL at 2 MiB");
}

// engine.md 4, "A100 x8 (12 links, AMD)".
TEST(Tuner, ReproducesTheA100Node) {
  const CommunicatorShape shape = communicator_shape(8, 1, dgx_a100());
  expect_entries(v28, all_reduce, shape,
                 {{ring, ll, 15.0, 50.1},
                  {ring, ll128, 40.6, 126.2},
                  {ring, simple, 56.0, 137.1},
                  {tree, ll, 15.2, 29.1},
                  {tree, ll128, 31.5, 85.9},
                  {tree, simple, 64.4, 110.4}});
  expect_choices(v28, all_reduce, shape,
                 {{1_MiB, ring, ll, 35.9},
                  {4_MiB, ring, ll128, 73.8},
                  {16_MiB, ring, ll128, 173.6},
                  {64_MiB, ring, simple, 545.3}});
}

// engine.md 4, "B200 x8", "Two PCIe-4 GPUs", "H100 nodes with 25 Gbit/s NICs".
TEST(Tuner, ReproducesTheOtherMachines) {
  const CommunicatorShape b200 = communicator_shape(8, 1, dgx_b200());
  expect_entries(v28, all_reduce, b200, {{ring, simple, 56.0, 411.4}, {nvls, simple, 25.0, 411.4}});
  expect_choices(v28, all_reduce, b200, {{1_MiB, ring, ll, 21.5}, {16_MiB, nvls, simple, 65.8}});

  const CommunicatorShape pair = communicator_shape(2, 1, pcie_pair());
  expect_entries(v28, all_reduce, pair, {{ring, ll, 8.6, 12.0}, {ring, simple, 19.8, 24.0}});
  expect_choices(v28, all_reduce, pair, {{1_KiB, ring, ll, 8.7}, {1_MiB, ring, simple, 63.5}});
  expect_choices(v28, all_reduce, pair, {{64_MiB, ring, simple, 2816}}, 0.5);

  expect_entries(v28, all_reduce, communicator_shape(16, 2, h100_with_slow_nics()),
                 {{ring, simple, 131.6, 12.8}});
}

CommunicatorShape given(int ranks, int nodes, GpuGeneration generation, HostCpu cpu,
                        const ChannelGraph& graph) {
  CommunicatorShape shape{ranks, nodes, generation, LocalLink::nvlink, cpu};
  shape.ring = shape.tree = graph;
  return shape;
}

// models.md C-14, tolerance 1e-5 relative; printed with up to four decimals, hence 5e-5 absolute.
constexpr double c14 = 5e-5;

// C-14: "1 node, 8 ranks, Hopper, ring = tree graph 12 ch x 30 GB/s NVLink, AllReduce".
TEST(Tuner, C14OneHopperNode) {
  const CommunicatorShape shape =
      given(8, 1, GpuGeneration::hopper, HostCpu::intel, {12, 30_GBps, 30_GBps});
  expect_entries(v30, all_reduce, shape,
                 {{tree, ll, 15.2, 43.5789},
                  {tree, ll128, 31.5, 128.8},
                  {tree, simple, 64.4, 165.6},
                  {ring, ll, 15.0, 80.5714},
                  {ring, ll128, 40.6, 189.2571},
                  {ring, simple, 56.0, 205.7143}},
                 c14);
  expect_choices(v30, all_reduce, shape,
                 {{64_B, ring, ll, 15.0008},
                  {64_KiB, ring, ll, 15.8134},
                  {1_MiB, ring, ll, 28.0142},
                  {16_MiB, ring, ll128, 129.2477},
                  {128_MiB, ring, simple, 708.4473},
                  {1_GiB, ring, simple, 5275.5783}},
                 c14);
}

// C-14: "2 nodes x 8 A100, AMD, 8 ch x 24"; 10 771.92 is printed with two decimals.
TEST(Tuner, C14TwoA100Nodes) {
  const CommunicatorShape shape =
      given(16, 2, GpuGeneration::ampere, HostCpu::amd, {8, 24_GBps, 24_GBps});
  expect_entries(
      v30, all_reduce, shape,
      {{ring, ll, 68.0, 12.0}, {ring, ll128, 78.0, 85.3333}, {ring, simple, 204.4, 102.4}}, c14);
  expect_choices(v30, all_reduce, shape, {{16_MiB, ring, ll128, 274.608}}, 5e-4);
  expect_choices(v30, all_reduce, shape, {{1_GiB, ring, simple, 10771.92}}, 5e-3);
}

// C-14: "AllGather 4x8 Hopper Intel 8 ch x 48".
TEST(Tuner, C14FourHopperNodes) {
  const CommunicatorShape shape =
      given(32, 4, GpuGeneration::hopper, HostCpu::intel, {8, 48_GBps, 48_GBps});
  expect_entries(
      v30, all_gather, shape,
      {{ring, ll, 42.7, 21.0581}, {ring, ll128, 79.2, 303.0710}, {ring, simple, 145.6, 396.3871}},
      c14);
  expect_choices(v30, all_gather, shape, {{1_GiB, ring, simple, 2854.4213}}, c14);
}

// The versions differ on Blackwell alone: ring LL128 73.4 -> 40 GB/s a channel, and the NVLS tree's
// cap from three nodes 43.8 -> 80. 16 x 45 on one node: min(0.92 x 720, 16 x 40) x 8/14 = 365.714
// against 0.92 x 720 x 8/14 = 378.514.
TEST(Tuner, VersionsDifferOnBlackwell) {
  const CommunicatorShape b200 = communicator_shape(8, 1, dgx_b200());
  expect_entries(v28, all_reduce, b200, {{ring, ll128, 40.6, 378.514}}, 5e-4);
  expect_entries(v30, all_reduce, b200, {{ring, ll128, 40.6, 365.714}}, 5e-4);

  // 8 heads, four nodes of 8: bus 8 x min(103.6, 48, cap), algorithm bandwidth x 32/62.
  const CommunicatorShape four = communicator_shape(32, 4, dgx_b200());
  expect_entries(v28, all_reduce, four, {{nvls_tree, simple, 108.6, 180.851613}}, 5e-4);
  expect_entries(v30, all_reduce, four, {{nvls_tree, simple, 108.6, 198.193548}}, 5e-4);
}

// 2.30 corrects the NVLS tree on Blackwell with x86 hosts as it does the tree: 16 MiB is index 18,
// simple 0.7; 2.28 does not, and neither does so on Hopper.
TEST(Tuner, NewerVersionCorrectsTheNvlsTreeOnBlackwell) {
  const auto bandwidth = [](TunerVersion version, const CommunicatorShape& shape) {
    const auto choice = choose(version, all_reduce, 16_MiB, shape, {.algorithm = nvls_tree});
    return choice ? choice->bandwidth.value : 0.0;
  };
  const CommunicatorShape blackwell = communicator_shape(32, 4, dgx_b200());
  const auto entry = tuner_entry(v30, all_reduce, nvls_tree, simple, blackwell);
  ASSERT_TRUE(entry);
  EXPECT_DOUBLE_EQ(bandwidth(v30, blackwell), 0.7 * entry->bandwidth.value);
  EXPECT_DOUBLE_EQ(bandwidth(v28, blackwell),
                   tuner_entry(v28, all_reduce, nvls_tree, simple, blackwell)->bandwidth.value);
  EXPECT_DOUBLE_EQ(bandwidth(v28, h100(4)), bandwidth(v30, h100(4)));
}

// engine.md 3, "Enable rules".
TEST(Tuner, RulesOutWhatNcclRulesOut) {
  const auto has = [](CollectiveKind kind, Algorithm algorithm, Protocol protocol,
                      const CommunicatorShape& shape) {
    return tuner_entry(v28, kind, algorithm, protocol, shape).has_value();
  };
  CommunicatorShape two = h100(2);
  EXPECT_FALSE(has(all_reduce, nvls_tree, simple, h100(1)));
  EXPECT_FALSE(has(all_reduce, nvls, simple, two));
  EXPECT_FALSE(has(all_reduce, collnet_direct, simple, two));
  two.in_network = true;
  EXPECT_TRUE(has(all_reduce, nvls, simple, two));
  EXPECT_TRUE(has(all_reduce, collnet_direct, simple, two));
  EXPECT_TRUE(has(all_reduce, collnet_chain, simple, two));
  EXPECT_FALSE(has(all_reduce, nvls, ll, h100(1)));
  EXPECT_FALSE(has(all_reduce, pat, simple, two));
  EXPECT_FALSE(has(all_gather, tree, simple, two));
  EXPECT_FALSE(has(all_gather, pat, simple, two));
  EXPECT_TRUE(has(all_gather, pat, simple, communicator_shape(16, 16, dgx_h100())));
  EXPECT_FALSE(has(CollectiveKind::broadcast, tree, simple, h100(1)));
  EXPECT_FALSE(has(CollectiveKind::all_to_all, ring, simple, h100(1)));
  EXPECT_FALSE(has(all_reduce, ring, ll128, communicator_shape(2, 1, pcie_pair())));
  EXPECT_FALSE(has(all_reduce, nvls, simple, communicator_shape(2, 1, dgx_h100())));
  EXPECT_FALSE(has(all_reduce, hierarchical, simple, two));
}

// A rule fixes fields and leaves the rest to the tables; what NCCL does not allow leaves nothing.
TEST(Tuner, RuleNarrowsTheChoice) {
  const auto forced = [](const CollectiveRule& rule) {
    return choose(v28, all_reduce, 64_MiB, h100(1), rule);
  };
  const auto ring_choice = forced({.algorithm = ring});
  ASSERT_TRUE(ring_choice);
  EXPECT_EQ(ring_choice->protocol, simple);  // 56 + 67108864/205714.3 us beats LL128's 40.6 + 354.6
  expect_printed(ring_choice->time.value * 1e6, 382.2, 0.05, "56 + 326.2");
  const auto tree_choice = forced({.protocol = ll});
  ASSERT_TRUE(tree_choice);
  EXPECT_EQ(tree_choice->algorithm, ring);
  const auto few = forced({.algorithm = ring, .protocol = simple, .channels = 4});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->channels, 4);
  EXPECT_EQ(few->time, ring_choice->time);
  for (const Algorithm algorithm :
       {nvls_tree, collnet_chain, pat, halving_doubling, direct, hierarchical})
    EXPECT_EQ(forced({.algorithm = algorithm}), std::nullopt);
  EXPECT_EQ(forced({.algorithm = nvls, .protocol = ll}), std::nullopt);
}

// models.md 1.4 item 6. Ring/LL on 8 ranks: a channel is worth 512 x 8 x 8 = 32 KiB; 1 KiB keeps
// one, 256 KiB eight, 1 MiB all 24. NVLS has its own 16 on Hopper.
TEST(Tuner, UsesAsManyChannelsAsTheSizeDeserves) {
  const auto channels = [](Bytes size, const CollectiveRule& rule) {
    const auto choice = choose(v28, all_reduce, size, h100(1), rule);
    return choice ? choice->channels : 0;
  };
  const CollectiveRule ring_ll{.algorithm = ring, .protocol = ll};
  EXPECT_EQ(channels(1_KiB, ring_ll), 1);
  EXPECT_EQ(channels(256_KiB, ring_ll), 8);
  EXPECT_EQ(channels(1_MiB, ring_ll), 24);
  EXPECT_EQ(channels(64_MiB, {.algorithm = nvls}), 16);
}

// One rank: ring/simple for nothing (engine.md 3).
TEST(Tuner, SingleRankCostsNothing) {
  const auto choice = choose(v28, all_reduce, 1_GiB, communicator_shape(1, 1, dgx_h100()));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->algorithm, ring);
  EXPECT_EQ(choice->protocol, simple);
  EXPECT_EQ(choice->time, 0_s);
}

// Raising a graph's speed never makes the choice slower (H-3 for the tuner); more bytes never take
// less under one algorithm and protocol.
TEST(Tuner, FasterChannelsAreNeverSlower) {
  for (double size = 256; size < 1e10; size *= 4) {
    CommunicatorShape slow = h100(4);
    CommunicatorShape fast = slow;
    for (ChannelGraph* graph : {&fast.ring, &fast.tree, &fast.nvls})
      graph->intra = graph->inter = 60_GBps;
    const auto before = choose(v30, all_reduce, {size}, slow);
    const auto after = choose(v30, all_reduce, {size}, fast);
    ASSERT_TRUE(before && after);
    EXPECT_LE(after->time, before->time);
  }
}

}  // namespace
}  // namespace quintet
