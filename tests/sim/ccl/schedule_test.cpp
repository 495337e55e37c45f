#include "sim/ccl/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "tests/sim/ccl/move_integers.h"

namespace quintet {
namespace {

using enum CollectiveKind;

const std::vector<int> many_sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 23, 32};

// The executor itself: it must notice a rank that sends what it has not, and a lost contribution.
TEST(MoveIntegers, NoticesBrokenSchedules) {
  Schedule schedule = ring_schedule(all_gather, 4);
  std::swap(schedule.transfers[0].chunk, schedule.transfers[4].chunk);
  EXPECT_EQ(broken_promise(schedule), "sends what it does not have: step 0, 0 -> 1, chunk 3");
  schedule = ring_schedule(all_reduce, 4);
  schedule.transfers[5].effect = Effect::copy;
  EXPECT_NE(broken_promise(schedule), "");
  schedule = ring_schedule(all_reduce, 4);
  schedule.transfers.pop_back();
  EXPECT_NE(broken_promise(schedule), "");
}

TEST(RingSchedule, ReducesAndGathersExactly) {
  for (const int ranks : many_sizes)
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather, broadcast, reduce}) {
      const Schedule schedule = ring_schedule(kind, ranks);
      EXPECT_EQ(broken_promise(schedule), "") << ranks << " ranks, kind " << static_cast<int>(kind);
      EXPECT_EQ(schedule.steps, ring_steps(kind, ranks));
    }
}

// Three ranks, whole value: chunk r gathers on rank r.
TEST(RingSchedule, ScattersThreeRanks) {
  const Schedule expected{reduce_scatter,
                          3,
                          3,
                          2,
                          {{0, 0, 1, 2, Effect::reduce},
                           {0, 1, 2, 0, Effect::reduce},
                           {0, 2, 0, 1, Effect::reduce},
                           {1, 0, 1, 1, Effect::reduce},
                           {1, 1, 2, 2, Effect::reduce},
                           {1, 2, 0, 0, Effect::reduce}}};
  EXPECT_EQ(ring_schedule(reduce_scatter, 3), expected);
}

TEST(HalvingDoublingSchedule, ReducesAndGathersExactlyForAnyNumber) {
  for (const int ranks : many_sizes)
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      EXPECT_EQ(broken_promise(halving_doubling_schedule(kind, ranks)), "")
          << ranks << " ranks, kind " << static_cast<int>(kind);
}

// 2 log2 n steps, two more to fold (Thakur et al. 2005): 16 -> 8, 17 -> 10.
TEST(HalvingDoublingSchedule, TakesTwoStepsMoreToFold) {
  EXPECT_EQ(halving_doubling_schedule(all_reduce, 16).steps, 8);
  EXPECT_EQ(halving_doubling_schedule(all_reduce, 17).steps, 10);
}

TEST(HierarchicalSchedule, ReducesExactlyOverAnyLevels) {
  const std::vector<std::vector<int>> shapes{{},     {1},    {8},       {2, 3},    {4, 4},
                                             {1, 5}, {5, 1}, {2, 2, 2}, {3, 2, 4}, {2, 3, 1, 2}};
  for (const std::vector<int>& sizes : shapes) {
    const Schedule schedule = hierarchical_schedule({sizes});
    EXPECT_EQ(broken_promise(schedule), "") << sizes.size() << " levels";
    const int steps = std::accumulate(sizes.begin(), sizes.end(), 0,
                                      [](int sum, int size) { return sum + 2 * (size - 1); });
    EXPECT_EQ(schedule.steps, steps);
  }
}

TEST(DoubleTreeSchedule, ReducesExactly) {
  for (const int hosts : {1, 2, 3, 4, 5, 8, 11, 16})
    for (const int per_host : {1, 2, 4})
      for (const int pieces : {1, 3})
        EXPECT_EQ(broken_promise(double_tree_schedule(hosts, per_host, pieces)), "")
            << hosts << " hosts of " << per_host << ", " << pieces << " pieces";
}

// Depth of either tree over 16 hosts: 0 -> 8 -> 4 -> 2 -> 1, four edges up and four down; the chain
// of 4 adds three each; pieces follow one step behind: 2 (4 + 3) + 5 - 1 = 18.
TEST(DoubleTreeSchedule, PipelinesPiecesThroughTheDepth) {
  EXPECT_EQ(double_tree_schedule(16, 4, 5).steps, 18);
}

TEST(NvlsSchedule, ReducesExactlyThroughTheSwitch) {
  for (const int ranks : many_sizes) EXPECT_EQ(broken_promise(nvls_schedule(ranks), 1), "");
}

TEST(AllToAllSchedule, DeliversEverythingInOnePeerAStep) {
  for (const int ranks : many_sizes)
    for (const int group : {1, 2, 4, 8}) {
      const Schedule schedule = all_to_all_schedule(ranks, group);
      EXPECT_EQ(broken_promise(schedule), "");
      EXPECT_EQ(schedule.steps, ranks - 1);
      for (int step = 0; step < schedule.steps; ++step) {
        std::vector<int> receivers;
        for (const Transfer& transfer : schedule.transfers)
          if (transfer.step == step) receivers.push_back(transfer.to);
        std::sort(receivers.begin(), receivers.end());
        std::vector<int> everyone(static_cast<std::size_t>(ranks));
        std::iota(everyone.begin(), everyone.end(), 0);
        EXPECT_EQ(receivers, everyone) << "an incast at step " << step;
      }
    }
}

// Oracle C-11, as printed.
TEST(PeerDeltas, C11FollowsTriangularNumbers) {
  EXPECT_EQ(peer_deltas(16, 1),
            (std::vector{0, 1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8}));
  EXPECT_EQ(peer_deltas(8, 1), (std::vector{0, 1, 3, 6, 2, 7, 5, 4}));
  EXPECT_EQ(peer_deltas(6, 1), (std::vector{0, 1, 3, 2, 5, 4}));
}

// Two groups of 3, then 7 ranks that no group of 3 divides.
TEST(PeerDeltas, StayInsideAGroupFirst) {
  EXPECT_EQ(peer_deltas(6, 3), (std::vector{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(peer_deltas(12, 3), (std::vector{0, 1, 2, 3, 4, 5, 9, 10, 11, 6, 7, 8}));
  EXPECT_EQ(peer_deltas(7, 3), peer_deltas(7, 1));
}

// One host of 6 is one group. Of two hosts NCCL takes 8 ranks, or what divides both them and 8: of
// hosts of 16 halves, of hosts of 6 pairs, of hosts of 3 each rank by itself.
TEST(PeerDeltas, GroupsAreNcclsOfTheHosts) {
  const auto in_groups = [](std::vector<int> levels) {
    return *schedule_of(Algorithm::direct, {CollectiveKind::all_to_all, std::move(levels), {}});
  };
  EXPECT_EQ(in_groups({6}), all_to_all_schedule(6, 6));
  EXPECT_EQ(in_groups({16, 2}), all_to_all_schedule(32, 8));
  EXPECT_EQ(in_groups({6, 2}), all_to_all_schedule(12, 2));
  EXPECT_EQ(in_groups({3, 2}), all_to_all_schedule(6, 1));
}

// Oracle C-10, as printed, N = 8.
TEST(DoubleTree, C10EightNodes) {
  const DoubleTree trees = double_tree(8);
  EXPECT_EQ(
      trees.first,
      (std::vector<TreeNode>{
          {-1, {4}}, {2, {}}, {4, {1, 3}}, {2, {}}, {0, {2, 6}}, {6, {}}, {4, {5, 7}}, {6, {}}}));
  EXPECT_EQ(
      trees.second,
      (std::vector<TreeNode>{
          {1, {}}, {3, {2, 0}}, {1, {}}, {7, {5, 1}}, {5, {}}, {3, {6, 4}}, {5, {}}, {-1, {3}}}));
}

// Oracle C-10, N = 5: T1 0(-;4) 4(0;2) 2(4;1,3); T2 1(-;0) 0(1;3) 3(0;2,4).
TEST(DoubleTree, C10FiveNodes) {
  const DoubleTree trees = double_tree(5);
  EXPECT_EQ(trees.first,
            (std::vector<TreeNode>{{-1, {4}}, {2, {}}, {4, {1, 3}}, {2, {}}, {0, {2}}}));
  EXPECT_EQ(trees.second,
            (std::vector<TreeNode>{{1, {3}}, {-1, {0}}, {3, {}}, {0, {2, 4}}, {3, {}}}));
}

// With an even number each rank is interior in at most one tree (an odd one leaves one rank in
// two); both span all nodes with at most two children and logarithmic depth.
TEST(DoubleTree, SpreadsTheWork) {
  for (int nodes = 2; nodes <= 70; ++nodes) {
    const DoubleTree trees = double_tree(nodes);
    std::size_t edges = 0;
    for (int rank = 0; rank < nodes; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      edges += trees.first[at].children.size() + trees.second[at].children.size();
      EXPECT_LE(trees.first[at].children.size(), 2u);
      int depth = 0;
      for (int node = rank; node >= 0; node = trees.first[static_cast<std::size_t>(node)].parent)
        ASSERT_LE(++depth, 9) << "a loop";
      const bool twice = !trees.first[at].children.empty() && !trees.second[at].children.empty();
      EXPECT_FALSE(nodes % 2 == 0 && twice) << nodes << " nodes, rank " << rank;
    }
    EXPECT_EQ(edges, 2u * static_cast<std::size_t>(nodes - 1));
  }
}

// nccl-tests' bus factors are what each rank sends: all-reduce 2 (n-1)/n, the halves (n-1)/n.
TEST(Schedules, SendTheBusFactorPerRank) {
  const auto expect = [](const Schedule& schedule) {
    for (const double sent : sent_by_rank(schedule))
      EXPECT_NEAR(sent, bus_factor(schedule.kind, schedule.ranks), 1e-12);
  };
  for (const int ranks : many_sizes) {
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      expect(ring_schedule(kind, ranks));
    expect(hierarchical_schedule({{2, ranks}}));
    expect(hierarchical_schedule({{ranks, 3}}));
  }
  for (const int ranks : {1, 2, 4, 8, 16, 32})
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      expect(halving_doubling_schedule(kind, ranks));
}

// All-to-all's buffer here is n pairs a rank, n^2 chunks in all: (n-1)/n of a rank's n chunks.
TEST(Schedules, AllToAllSendsItsBusFactor) {
  for (const double sent : sent_by_rank(all_to_all_schedule(8, 1)))
    EXPECT_NEAR(sent * 8, bus_factor(all_to_all, 8), 1e-12);
}

}  // namespace
}  // namespace quintet
