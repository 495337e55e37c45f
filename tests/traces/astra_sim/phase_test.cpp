#include "traces/astra_sim/phase.h"

#include <gtest/gtest.h>

#include "traces/astra_sim/phase_run.h"

namespace quintet {
namespace {

using enum CollectiveKind;

AstraNetwork two_by_four() {
  return {{{AstraShape::star, 2, 400.0, 500.0}, {AstraShape::star, 4, 50.0, 2000.0}}};
}

AstraSystem rings() {
  AstraSystem system;
  system.optimization = AstraOptimization::local_bandwidth_aware;
  for (AstraCollective& collective : system.collectives) collective.per_dimension = {{}, {}};
  return system;
}

struct Step {
  CollectiveKind kind;
  int ranks;
  std::int64_t size;
  bool operator==(const Step&) const = default;
};
std::vector<Step> steps_of(const AstraCollectiveCall& call, const AstraSystem& system) {
  QueueTurns turns(2, 1);
  std::vector<Step> steps;
  for (const AstraPhase& phase : phases_of(call, call.size, two_by_four(), system, turns))
    steps.push_back({phase.kind, phase.ring.size, phase.size});
  return steps;
}

// Ranks count through the first dimension first: rank 5 of 2 x 4 is (1, 2).
TEST(AstraPhase, FindsARanksRingInEachDimension) {
  const AstraNetwork network = two_by_four();
  EXPECT_EQ(ring_in(network, 0, 5), (LogicalRing{2, 4, 1, nullptr}));
  EXPECT_EQ(ring_in(network, 1, 5), (LogicalRing{4, 1, 2, nullptr}));
  EXPECT_EQ(ring_in(network, 1, 5).rank_at(3), 7);
  EXPECT_EQ(place_in(ring_in(network, 1, 5), 5), 2);
  const std::vector<std::int32_t> members{7, 1, 5};
  const LogicalRing group{3, 0, 1, &members};
  EXPECT_EQ(group.rank_at(0), 7);
  EXPECT_EQ(place_in(group, 5), 2);
  EXPECT_EQ(place_in(group, 4), -1);
}

TEST(AstraPhase, ReducesUpTheDimensionsAndGathersBackDown) {
  EXPECT_EQ(
      steps_of({all_reduce, 800, 0, nullptr}, rings()),
      (std::vector<Step>{{reduce_scatter, 2, 800}, {all_reduce, 4, 400}, {all_gather, 2, 400}}));
  AstraSystem baseline = rings();
  baseline.optimization = AstraOptimization::baseline;
  EXPECT_EQ(steps_of({all_reduce, 800, 0, nullptr}, baseline),
            (std::vector<Step>{{all_reduce, 2, 800}, {all_reduce, 4, 800}}));
}

TEST(AstraPhase, GathersFromTheLastDimension) {
  EXPECT_EQ(steps_of({all_gather, 100, 0, nullptr}, rings()),
            (std::vector<Step>{{all_gather, 4, 100}, {all_gather, 2, 400}}));
  EXPECT_EQ(steps_of({reduce_scatter, 800, 0, nullptr}, rings()),
            (std::vector<Step>{{reduce_scatter, 2, 800}, {reduce_scatter, 4, 400}}));
}

TEST(AstraPhase, TakesAllRanksForOneRing) {
  AstraSystem system = rings();
  system.collectives[3].per_dimension = {{AstraAlgorithm::direct, true, -1}, {}};
  EXPECT_EQ(steps_of({all_to_all, 800, 0, nullptr}, system),
            (std::vector<Step>{{all_to_all, 8, 800}}));
}

TEST(AstraPhase, RunsARingOverTheRanksOfAGroup) {
  const std::vector<std::int32_t> group{1, 3, 6};
  const std::vector<std::int32_t> alone{3};
  EXPECT_EQ(steps_of({all_reduce, 300, 3, &group}, rings()),
            (std::vector<Step>{{all_reduce, 3, 300}}));
  EXPECT_TRUE(steps_of({all_reduce, 300, 3, &alone}, rings()).empty());
}

// 10 bytes in 4 splits are pieces of 2, so five; but a piece has a byte for each of the 8 ranks.
TEST(AstraPhase, CutsACollectiveIntoPieces) {
  AstraSystem system = rings();
  system.dataset_splits = 4;
  const auto pieces = [&](CollectiveKind kind, std::int64_t size) {
    const Pieces found = pieces_of({kind, size, 0, nullptr}, two_by_four(), system);
    return std::pair(found.size, found.count);
  };
  EXPECT_EQ(pieces(all_gather, 10), std::pair(std::int64_t{2}, std::int64_t{5}));
  EXPECT_EQ(pieces(all_reduce, 10), std::pair(std::int64_t{8}, std::int64_t{4}));
  EXPECT_EQ(pieces(all_reduce, 400), std::pair(std::int64_t{100}, std::int64_t{4}));
  EXPECT_EQ(pieces(all_gather, 3), std::pair(std::int64_t{0}, std::int64_t{0}));
}

// Four queues: out through 0 and 1, back through 2 and 3; others through all, the later two
// backwards.
TEST(QueueTurns, TakesTheQueuesOfADimensionInTurn) {
  QueueTurns turns(2, 4);
  std::vector<int> out, back, all;
  for (int at = 0; at < 3; ++at) {
    out.push_back(turns.next_out(1).queue);
    back.push_back(turns.next_back(1).queue);
    all.push_back(turns.next(1).queue);
  }
  EXPECT_EQ(out, (std::vector{4, 5, 4}));
  EXPECT_EQ(back, (std::vector{6, 7, 6}));
  EXPECT_EQ(all, (std::vector{4, 5, 6}));
  EXPECT_TRUE(turns.next(1).backwards);
  EXPECT_FALSE(turns.next(1).backwards);
}

AstraPhase phase_of(CollectiveKind kind, AstraAlgorithm algorithm, int ranks, std::int64_t size,
                    int window = -1) {
  return {kind, {algorithm, false, window}, {ranks, 0, 1, nullptr}, size, 0, false, false};
}

// Everything that a rank sends, packets coming as soon as they are waited for.
struct Course {
  std::vector<int> to;
  std::vector<std::int64_t> sizes;
  int added_up = 0;
  bool ended = false;
};
Course course_of(const AstraPhase& phase, int rank) {
  PhaseRun run(phase, rank);
  Course course;
  int in_hand = 0;
  const auto take = [&] {
    course.added_up += run.take_in_hand().added_up;
    ++in_hand;
  };
  for (int at = 0; at < run.at_once(); ++at) take();
  std::vector<PhasePacket> sent;
  while (in_hand-- > 0 && !course.ended) {
    sent.clear();
    run.handled(sent);
    course.ended = run.ended();
    for (const PhasePacket& packet : sent) {
      course.to.push_back(packet.to);
      course.sizes.push_back(packet.size);
      run.come();
      take();
    }
  }
  return course;
}

TEST(PhaseRun, SendsRoundTheRingAndAddsUpHalfTheWay) {
  const Course course = course_of(phase_of(all_reduce, AstraAlgorithm::ring, 4, 400), 3);
  EXPECT_EQ(course.to, std::vector<int>(6, 0));
  EXPECT_EQ(course.sizes, std::vector<std::int64_t>(6, 100));
  EXPECT_EQ(course.added_up, 3);
  EXPECT_TRUE(course.ended);
}

TEST(PhaseRun, SendsDirectlyToEachOther) {
  const Course course = course_of(phase_of(all_to_all, AstraAlgorithm::direct, 4, 400), 2);
  EXPECT_EQ(course.to, (std::vector{3, 0, 1}));
  EXPECT_EQ(course.added_up, 0);
  EXPECT_TRUE(course.ended);
  const Course twice = course_of(phase_of(all_reduce, AstraAlgorithm::direct, 4, 400), 2);
  EXPECT_EQ(twice.to, (std::vector{3, 0, 1, 3, 0, 1}));
  EXPECT_EQ(twice.added_up, 3);
  EXPECT_TRUE(twice.ended);
}

TEST(PhaseRun, KeepsAWindowOfADirectExchangeInFlight) {
  const AstraPhase phase = phase_of(all_to_all, AstraAlgorithm::direct, 8, 800, 2);
  EXPECT_EQ(PhaseRun(phase, 0).at_once(), 2);
  EXPECT_EQ(course_of(phase, 0).to, (std::vector{1, 2, 3, 4, 5, 6, 7}));
}

// Of 8 ranks rank 5 (101): partners 4, 7, 1 with a half, a quarter and an eighth, and back again.
TEST(PhaseRun, HalvesAndDoubles) {
  const Course course =
      course_of(phase_of(all_reduce, AstraAlgorithm::halving_doubling, 8, 800), 5);
  EXPECT_EQ(course.to, (std::vector{4, 7, 1, 1, 7, 4}));
  EXPECT_EQ(course.sizes, (std::vector<std::int64_t>{400, 200, 100, 100, 200, 400}));
  EXPECT_TRUE(course.ended);
  const Course gather =
      course_of(phase_of(all_gather, AstraAlgorithm::halving_doubling, 8, 100), 5);
  EXPECT_EQ(gather.to, (std::vector{1, 7, 4}));
  EXPECT_EQ(gather.sizes, (std::vector<std::int64_t>{100, 200, 400}));
}

}  // namespace
}  // namespace quintet
