// Where rules put jobs on two leaves of four hosts with one place each.
#include "sim/jobs/placement.h"

#include <gtest/gtest.h>

#include "tests/sim/jobs/periodic_jobs.h"

namespace quintet {
namespace {

using Slots = std::vector<std::vector<int>>;

struct Wanted {
  int hosts = 1;
  double arrives = 0, takes = 1;
};

Slots placed_by(PlacementRule rule, const std::vector<Wanted>& jobs, std::uint64_t seed = 1) {
  test::SlowUplink box;
  std::vector<Seconds> alone;
  for (const Wanted& each : jobs) {
    box.machine.jobs.push_back(test::periodic_job("job", 1, each.hosts));
    box.machine.jobs.back().entry.arrives = {each.arrives};
    alone.push_back({each.takes});
  }
  return placed(box.machine, alone, {rule, seed, {}});
}

TEST(Placement, KnowsWhichHostsShareALeaf) {
  EXPECT_EQ(leaf_of_hosts(test::shipped_topology("box-2x4-slow-uplink")),
            (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
}

// Three, two and three hosts: the two straddle the leaves.
TEST(Placement, FirstFitTakesTheFirstFreeHosts) {
  EXPECT_EQ(placed_by(PlacementRule::first_fit, {{3}, {2}, {3}}),
            (Slots{{0, 1, 2}, {3, 4}, {5, 6, 7}}));
}

// Three leave one host of the first leaf; the two go below the other, and the last three are left
// with what there is: two there, one here.
TEST(Placement, PackedKeepsJobsBelowOneLeafWhereItCan) {
  EXPECT_EQ(placed_by(PlacementRule::packed, {{3}, {2}, {3}}),
            (Slots{{0, 1, 2}, {4, 5}, {3, 6, 7}}));
}

TEST(Placement, SpreadTakesLeavesInTurn) {
  EXPECT_EQ(placed_by(PlacementRule::spread, {{4}, {2}}), (Slots{{0, 1, 4, 5}, {2, 6}}));
}

TEST(Placement, RandomIsTheSameBySeed) {
  const std::vector<Wanted> jobs{{3}, {3}};
  EXPECT_EQ(placed_by(PlacementRule::random, jobs, 5), placed_by(PlacementRule::random, jobs, 5));
  EXPECT_NE(placed_by(PlacementRule::random, jobs, 5), placed_by(PlacementRule::random, jobs, 6));
}

// All eight hosts are taken until 1 and 2; four of them are free at 1.
TEST(Placement, WaitsForTheEarliestHostsThatComeFree) {
  EXPECT_EQ(placed_by(PlacementRule::first_fit, {{4, 0, 2}, {4, 0, 1}, {4, 0.5, 1}}),
            (Slots{{0, 1, 2, 3}, {4, 5, 6, 7}, {4, 5, 6, 7}}));
}

}  // namespace
}  // namespace quintet
