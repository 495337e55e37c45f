#include "sim/topology/describe/bisection.h"

#include <gtest/gtest.h>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;

void expect_closed_form_is_minimum_cut(const Topology& topology, Bandwidth expected) {
  EXPECT_EQ(topology.network.bisection, expected);
  EXPECT_EQ(bisection_by_flow(topology), expected);
}

// Half of 16 hosts at 50 GB/s.
TEST(Bisection, OfANonBlockingTreeIsHalfTheHosts) {
  expect_closed_form_is_minimum_cut(
      built(test::cpu_host(), 16, test::tree("fat_tree", 4, ", \"tiers\": 3")), Bandwidth{400e9});
}

// By maximum flow: k = 16, 1,024 hosts at 50 GB/s: 25,600 GB/s.
TEST(Bisection, OfSixteenPortFatTreeIsItsMinimumCut_D9) {
  expect_closed_form_is_minimum_cut(
      built(test::cpu_host(), 1024, test::tree("fat_tree", 16, ", \"tiers\": 3")),
      Bandwidth{25'600e9});
}

// 4 leaves with 2 uplinks of 50 GB/s: two leaves on either side send 200 GB/s.
TEST(Bisection, OfAnOversubscribedTreeIsItsUplinks) {
  expect_closed_form_is_minimum_cut(
      built(test::cpu_host(), 16, test::tree("fat_tree", 6, ", \"oversubscription\": 2")),
      Bandwidth{200e9});
}

// Two groups of 2 hosts x 8 NICs: 16 x 50 GB/s each.
TEST(Bisection, OfARailOptimisedNetworkIsHalfTheNics) {
  expect_closed_form_is_minimum_cut(
      built(test::gpu_host(8, 8), 4, test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2")),
      Bandwidth{800e9});
}

// One group: both halves hang on the same leaves, whose uplinks do not matter.
TEST(Bisection, InsideOneRailGroupDoesNotNeedTheSpines) {
  expect_closed_form_is_minimum_cut(
      built(test::gpu_host(8, 8), 4,
            test::tree("rail_optimised", 32, R"(, "hosts_per_leaf": 4, "leaf_uplinks": 1)")),
      Bandwidth{800e9});
}

TEST(Bisection, OfBothPlanesAddsUp) {
  expect_closed_form_is_minimum_cut(
      built(test::gpu_host(8, 8), 4,
            test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2, \"planes\": 2")),
      Bandwidth{800e9});
}

TEST(Bisection, OfOneSwitchIsHalfTheHosts) {
  expect_closed_form_is_minimum_cut(built(test::cpu_host(), 4, test::tree("single_switch", 4)),
                                    Bandwidth{100e9});
}

TEST(Bisection, NeedsTwoHosts) {
  EXPECT_EQ(bisection_by_flow(built(test::gpu_host(8, 8), 1, "")), std::nullopt);
}

TEST(Bisection, IsLeftOutAboveTheLimitOfLinks) {
  const Topology topology = built(test::cpu_host(), 4, test::tree("single_switch", 4));
  EXPECT_EQ(bisection_by_flow(topology, 7), std::nullopt);
  EXPECT_EQ(bisection_by_flow(topology, 8), Bandwidth{100e9});
}

}  // namespace
}  // namespace quintet
