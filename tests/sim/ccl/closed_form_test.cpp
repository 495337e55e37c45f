#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/ccl/schedule.h"
#include "tests/sim/ccl/move_integers.h"

namespace quintet {
namespace {

using namespace literals;
using enum CollectiveKind;

void expect_microseconds(Seconds time, double expected, double relative = 1e-9) {
  EXPECT_NEAR(time.value * 1e6, expected, expected * relative);
}

// Oracle C-1: n=8, S=1 GiB, B=50 GB/s, latency 5 us -> 70 + 117440512/3125 = 37 650.96384 us.
TEST(ClosedForm, C1Ring) {
  expect_microseconds(ring_time(all_reduce, 8, 1_GiB, 5_us, 50_GBps), 70 + 117440512.0 / 3125);
  expect_microseconds(ring_time(all_reduce, 8, 1_GiB, 5_us, 50_GBps), 37650.96384);
}

// Oracle C-2: halving-doubling 37 610.96384 us; ring halves 35 + 18 790.48192 = 18 825.48192 us.
TEST(ClosedForm, C2HalvingDoubling) {
  expect_microseconds(halving_doubling_time(all_reduce, 8, 1_GiB, 5_us, 50_GBps), 37610.96384);
  expect_microseconds(ring_time(reduce_scatter, 8, 1_GiB, 5_us, 50_GBps), 18825.48192);
  expect_microseconds(ring_time(all_gather, 8, 1_GiB, 5_us, 50_GBps), 18825.48192);
}

// Oracle C-3: without latency the bus bandwidth is the link's, exactly, for any n.
TEST(ClosedForm, C3BusBandwidthIsTheLinks) {
  for (int ranks = 2; ranks <= 1000; ++ranks) {
    const Seconds time = ring_time(all_reduce, ranks, 1_GiB, 0_s, 50_GBps);
    EXPECT_DOUBLE_EQ((1_GiB / time * bus_factor(all_reduce, ranks)).value, 50e9) << ranks;
  }
}

// Oracle C-4: 8 x 128, 450 and 50 GB/s, no latency, 1 GiB -> 267255808/28125 = 9 502.428729 us.
TEST(ClosedForm, C4Hierarchical) {
  const std::vector<Level> levels{{8, 450_GBps, 0_s}, {128, 50_GBps, 0_s}};
  expect_microseconds(hierarchical_time(levels, 1_GiB), 267255808.0 / 28125);
  expect_microseconds(hierarchical_time(levels, 1_GiB), 9502.428729, 1e-9);
}

// Oracle C-7: bidirectional ring n = 4, 8, 16 -> 2, 8, 32 m/B; 4-ary 3-torus -> 32 m/B.
TEST(ClosedForm, C7AllToAll) {
  const Seconds unit = 1_MB / 1_GBps;
  EXPECT_DOUBLE_EQ(all_to_all_on_ring_time(4, 1_MB, 1_GBps) / unit, 2);
  EXPECT_DOUBLE_EQ(all_to_all_on_ring_time(8, 1_MB, 1_GBps) / unit, 8);
  EXPECT_DOUBLE_EQ(all_to_all_on_ring_time(16, 1_MB, 1_GBps) / unit, 32);
  EXPECT_DOUBLE_EQ(all_to_all_on_torus_time(4, 3, 1_MB, 1_GBps) / unit, 32);
}

// The same by walking every pair's shortest path and loading the links, odd sizes too.
TEST(ClosedForm, AllToAllOnARingIsTheBusiestLink) {
  for (int n = 2; n <= 17; ++n) {
    std::vector<double> clockwise(static_cast<std::size_t>(n), 0.0);
    for (int from = 0; from < n; ++from)
      for (int distance = 1; distance <= n / 2; ++distance)
        for (int hop = 0; hop < distance; ++hop)
          clockwise[static_cast<std::size_t>((from + hop) % n)] += 2 * distance == n ? 0.5 : 1.0;
    const double busiest = *std::max_element(clockwise.begin(), clockwise.end());
    EXPECT_DOUBLE_EQ(all_to_all_on_ring_time(n, 1_B, 1_Bps).value, busiest) << n;
  }
}

// Oracle C-9: S/B = 21 474.83648 us for 1 GiB at 50 GB/s; half of the ring as n grows.
TEST(ClosedForm, C9InNetwork) {
  expect_microseconds(in_network_time(1_GiB, 50_GBps), 21474.83648);
  const Seconds ring = ring_time(all_reduce, 1 << 20, 1_GiB, 0_s, 50_GBps);
  EXPECT_NEAR(in_network_time(1_GiB, 50_GBps) / ring, 0.5, 1e-6);
}

// Oracle C-13: 8 ranks, 7 steps of sums and 7 of copies.
TEST(ClosedForm, C13RingSteps) {
  EXPECT_EQ(ring_steps(all_reduce, 8), 14);
}

// The closed forms price the schedules: sum over steps of latency + largest message / rate.
TEST(ClosedForm, AgreesWithTheSchedules) {
  const auto expect = [](Seconds closed, const Schedule& schedule) {
    const Seconds stepwise = stepwise_time(schedule, 1_GiB, 5_us, 50_GBps);
    EXPECT_NEAR(closed.value, stepwise.value, 1e-12) << schedule.ranks << " ranks";
  };
  for (int n = 1; n <= 33; ++n) {
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather, broadcast, reduce})
      expect(ring_time(kind, n, 1_GiB, 5_us, 50_GBps), ring_schedule(kind, n));
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      expect(halving_doubling_time(kind, n, 1_GiB, 5_us, 50_GBps),
             halving_doubling_schedule(kind, n));
  }
  const std::vector<Level> levels{{2, 50_GBps, 5_us}, {3, 50_GBps, 5_us}, {4, 50_GBps, 5_us}};
  expect(hierarchical_time(levels, 1_GiB), hierarchical_schedule({{2, 3, 4}}));
  // Each rank's buffer is n of the schedule's n^2 chunks.
  EXPECT_NEAR(direct_all_to_all_time(8, 1_GiB, 5_us, 50_GBps).value,
              stepwise_time(all_to_all_schedule(8, 8), 8_GiB, 5_us, 50_GBps).value, 1e-12);
}

// nccl-tests PERFORMANCE.md.
TEST(ClosedForm, BusFactors) {
  EXPECT_DOUBLE_EQ(bus_factor(all_reduce, 8), 1.75);
  for (const CollectiveKind kind : {reduce_scatter, all_gather, all_to_all})
    EXPECT_DOUBLE_EQ(bus_factor(kind, 8), 0.875);
  for (const CollectiveKind kind : {broadcast, reduce}) EXPECT_DOUBLE_EQ(bus_factor(kind, 8), 1.0);
}

}  // namespace
}  // namespace quintet
