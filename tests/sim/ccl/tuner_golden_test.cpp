#include "sim/ccl/choice/tuner.h"

#include <gtest/gtest.h>

#include "tests/sim/ccl/machines.h"
#include "tests/sim/ccl/printed.h"

namespace quintet {
namespace {

using namespace literals;
using namespace machines;
using enum Algorithm;
using enum Protocol;

constexpr CollectiveKind reduce_scatter = CollectiveKind::reduce_scatter;

// NCCL 2.28.9's own tables, AllReduce table of DGX H100.
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

// NCCL 2.28.9's own tables, "One node, ring: all-gather = reduce-scatter ..." and the lines after
// it.
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

// NCCL 2.28.9's own tables, "AllReduce choice and time (us)".
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

// NCCL 2.28.9: ring/LL and NVLS cross at 1.15 MB on one node; 2 MiB 41.0 against 32.7 us.
TEST(Tuner, CrossesFromRingToNvlsAboveOneMegabyte) {
  expect_choices(
      v28, all_reduce, h100(1),
      {{1.14_MB, ring, ll, 29.1}, {1.17_MB, nvls, simple, 29.3}, {2_MiB, nvls, simple, 32.7}});
  const auto ring_time =
      choose(v28, all_reduce, 2_MiB, h100(1), {.algorithm = ring, .protocol = ll});
  ASSERT_TRUE(ring_time);
  expect_printed(ring_time->time.value * 1e6, 41.0, 0.05, "ring/LL at 2 MiB");
}

// NCCL 2.28.9's own tables, "A100 x8 (12 links, AMD)".
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

// NCCL 2.28.9's own tables, "B200 x8", "Two PCIe-4 GPUs", "H100 nodes with 25 Gbit/s NICs".
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
  CommunicatorShape shape{.ranks = ranks, .nodes = nodes, .generation = generation, .cpu = cpu};
  shape.ring = shape.tree = graph;
  return shape;
}

// NCCL 2.30.7's tuner, tolerance 1e-5 relative; printed with up to four decimals, hence 5e-5
// absolute.
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

}  // namespace
}  // namespace quintet
