#include "sim/explain/breakdown.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

constexpr auto tensor = static_cast<std::size_t>(Axis::tensor);
constexpr auto data = static_cast<std::size_t>(Axis::data);
constexpr auto pipeline = static_cast<std::size_t>(Axis::pipeline);
constexpr OperatorKind mlp = OperatorKind::mlp_up;

// What every hand-made timeline of one rank begins with.
RankBreakdown one_rank(std::int64_t step) {
  return {.rank = Rank{0}, .ranks = 1, .stage = 0, .step = {step}};
}

// 0        40   50        90  100
// |compute |         |compute|
//     |-wait-|tensor-----|
//         30..40 waiting under compute, 40..50 waits, 50..60 moves alone, 60..80 under compute,
//         80..90 moves alone, 90..100 nothing
TEST(Breakdown, SplitsACollectiveIntoHiddenWaitingAndExposed) {
  Timeline timeline = small_world(100);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::forward, 0, 40);
  add_span(timeline, rank, On::tensor_all_reduce, 30, 50, 90);
  add_span(timeline, rank, On::forward, 60, 80);
  RankBreakdown expected = one_rank(100);
  expected.compute = {60};
  expected.operators = {{mlp, Phase::forward, {60}}};
  expected.exposed[tensor] = {20};
  expected.total_communication[tensor] = {40};
  expected.waiting = {10};
  expected.idle = {10};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Both axes move in 20..30: tensor (10..30) began first, so data (20..50) is exposed in 30..50
// only. Each axis moved for its whole length.
TEST(Breakdown, GivesAnInstantToTheAxisThatBeganFirst) {
  Timeline timeline = small_world(50);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::tensor_all_reduce, 0, 10, 30);
  add_span(timeline, rank, On::data_all_reduce, 5, 20, 50);
  RankBreakdown expected = one_rank(50);
  expected.exposed[tensor] = {20};
  expected.exposed[data] = {20};
  expected.total_communication[tensor] = {20};
  expected.total_communication[data] = {30};
  expected.waiting = {10};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Two buckets of the data axis move in 0..20 and 10..40: data moved for 40, not for 50.
TEST(Breakdown, CountsTheTimeAnAxisMovesOnceHoweverManyMove) {
  Timeline timeline = small_world(40);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::data_all_reduce, 0, 20);
  add_span(timeline, rank, On::data_all_reduce, 10, 40);
  RankBreakdown expected = one_rank(40);
  expected.exposed[data] = {40};
  expected.total_communication[data] = {40};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Kernels overlap in 10..20: the first keeps it. Forward 0..20 = 20, backward 20..30 = 10; the
// update 12..18 lies inside the first and gets nothing.
TEST(Breakdown, GivesOverlappingKernelsToTheOneThatBeganFirst) {
  Timeline timeline = small_world(30);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::forward, 0, 20);
  add_span(timeline, rank, On::backward, 10, 30);
  add_span(timeline, rank, On::update, 12, 18);
  RankBreakdown expected = one_rank(30);
  expected.compute = {30};
  expected.operators = {{OperatorKind::attention, Phase::backward, {10}},
                        {mlp, Phase::forward, {20}}};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Everything is under way in 0..70 and ends one after another; each rule gets what the rules above
// it leave:
//   compute 0..10, data moves 5..20 (10), receive waits 0..30 (10), collective waits 0..40 (10),
//   copy 0..50 (10), launch gap 0..55 (5), host work 0..60 (5), then idle 60..70
TEST(Breakdown, ObeysTheOrderOfItsRules) {
  Timeline timeline = small_world(70);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::forward, 0, 10);
  add_span(timeline, rank, On::tensor_all_reduce, 0, 30, 30);
  add_span(timeline, rank, On::receive, 0, 40, 40);
  add_span(timeline, rank, On::copy, 0, 50);
  add_span(timeline, rank, On::host_work, 0, 60);
  add_span(timeline, rank, On::data_all_reduce, 5, 20);
  timeline.host_gaps = {{rank, {0}, {15}}};
  RankBreakdown expected = one_rank(70);
  expected.compute = {10};
  expected.operators = {{mlp, Phase::forward, {10}}};
  expected.exposed[data] = {5};
  expected.total_communication[data] = {15};
  expected.waiting = {10};
  expected.bubble = {10};
  expected.copy = {10};
  expected.host = {5 + 10};
  expected.idle = {10};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Ring attention waits for keys of a neighbour: that is no pipeline bubble. A send waits 20..25.
TEST(Breakdown, CallsOnlyWaitsOnThePipelineAxisABubble) {
  Timeline timeline = small_world(40);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::context_receive, 0, 12, 20);
  add_span(timeline, rank, On::send, 20, 25, 40);
  RankBreakdown expected = one_rank(40);
  expected.waiting = {12 + 5};
  expected.exposed[static_cast<std::size_t>(Axis::context)] = {8};
  expected.exposed[pipeline] = {15};
  expected.total_communication = expected.exposed;
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Two stages, one micro-batch, no communication time shown:
//   stage 0  |F 0..10|                    |B 30..40| update 40..44 |
//   stage 1           |F 10..20|B 20..30|  update 30..34           |   step ends at 50
// Stage 0: idle 10..30 lies between its first and last work: idle, not drained. After its last
//   backward: 44..50, others do nothing then: idle. Idle 20 + 6.
// Stage 1: 0..10 before its first work while stage 0 works: bubble 10. After its last backward:
//   34..44 while stage 0 works: bubble 10; 44..50 nobody works: idle 6.
TEST(Breakdown, CountsFillAndDrainAsBubbleWhileAnotherStageWorks) {
  Timeline timeline = small_world(50);
  const std::int32_t first = add_track(timeline, 0);
  const std::int32_t last = add_track(timeline, 1);
  add_span(timeline, first, On::forward, 0, 10);
  add_span(timeline, first, On::backward, 30, 40);
  add_span(timeline, first, On::update, 40, 44);
  add_span(timeline, last, On::forward, 10, 20);
  add_span(timeline, last, On::backward, 20, 30);
  add_span(timeline, last, On::update, 30, 34);
  RankBreakdown expected_first = one_rank(50);
  expected_first.compute = {24};
  expected_first.operators = {{OperatorKind::attention, Phase::backward, {10}},
                              {mlp, Phase::forward, {10}},
                              {OperatorKind::optimizer_update, Phase::update, {4}}};
  expected_first.idle = {26};
  RankBreakdown expected_last = expected_first;
  expected_last.rank = Rank{8};
  expected_last.stage = 1;
  expected_last.bubble = {20};
  expected_last.idle = {6};
  EXPECT_EQ(breakdowns(timeline), (std::vector{expected_first, expected_last}));
}

// The same gaps without a second stage: a single-stage step has no pipeline to drain.
TEST(Breakdown, KnowsNoBubbleWithoutAPipeline) {
  Timeline timeline = small_world(50);
  const std::int32_t one = add_track(timeline, 0);
  const std::int32_t other = add_track(timeline, 0);
  add_span(timeline, one, On::forward, 20, 30);
  add_span(timeline, other, On::forward, 0, 50);
  EXPECT_EQ(breakdowns(timeline)[0].bubble, Duration{0});
  EXPECT_EQ(breakdowns(timeline)[0].idle, Duration{40});
}

// The last stage reduces and updates earlier than stage 0, whose reduction (20..30) and update
// (30..36) end the step: the last stage waits 16..36 for that, all of it because stage 0 drained
// later.
TEST(Breakdown, CountsWaitingForALaterStagesReductionAsBubble) {
  Timeline timeline = small_world(36);
  const std::int32_t first = add_track(timeline, 0);
  const std::int32_t last = add_track(timeline, 1);
  add_span(timeline, first, On::backward, 0, 20);
  add_span(timeline, first, On::data_all_reduce, 20, 30);
  add_span(timeline, first, On::update, 30, 36);
  add_span(timeline, last, On::backward, 0, 4);
  add_span(timeline, last, On::data_all_reduce, 4, 10);
  add_span(timeline, last, On::update, 10, 16);
  EXPECT_EQ(breakdowns(timeline)[1].bubble, Duration{20});
  EXPECT_EQ(breakdowns(timeline)[1].idle, Duration{0});
}

// -5..5 leaves 0..5; 45..60 leaves 45..50; 60..70 leaves nothing.
TEST(Breakdown, CutsOffWhatLiesOutsideTheStep) {
  Timeline timeline = small_world(50);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::forward, -5, 5);
  add_span(timeline, rank, On::forward, 45, 60);
  add_span(timeline, rank, On::copy, 60, 70);
  RankBreakdown expected = one_rank(50);
  expected.compute = {10};
  expected.operators = {{mlp, Phase::forward, {10}}};
  expected.idle = {40};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

TEST(Breakdown, OfNothingIsIdle) {
  Timeline timeline = small_world(7);
  add_track(timeline, 0);
  RankBreakdown expected = one_rank(7);
  expected.idle = {7};
  EXPECT_EQ(breakdowns(timeline), std::vector{expected});
}

// Three ranks do 10 ps of compute and 0 idle, one does 3 and 7 idle: compute (3*10 + 3)/4 = 8.25,
// idle 7/4 = 1.75. Rounded down 8 + 1; the missing picosecond goes to idle (remainder 0.75 > 0.25).
TEST(MeanBreakdown, WeighsByRanksAndRoundsSoThatPartsSum) {
  RankBreakdown many{.rank = Rank{0}, .ranks = 3, .stage = 0, .step = {10}, .compute = {10}};
  many.operators = {{mlp, Phase::forward, {10}}};
  RankBreakdown one{.rank = Rank{8}, .ranks = 1, .stage = 1, .step = {10}, .compute = {3}};
  one.operators = {{mlp, Phase::forward, {3}}};
  one.idle = {7};
  RankBreakdown expected{.rank = Rank{}, .ranks = 4, .stage = -1, .step = {10}, .compute = {8}};
  expected.operators = {{mlp, Phase::forward, {8}}};
  expected.idle = {2};
  EXPECT_EQ(mean({many, one}), expected);
}

// 1e14 ps (100 s) on 1e6 ranks: the weighted sum 1e20 does not fit 64 bits.
TEST(MeanBreakdown, HoldsLongStepsOnManyRanks) {
  RankBreakdown rank{.ranks = 1'000'000, .step = {100'000'000'000'001}};
  rank.idle = rank.step;
  EXPECT_EQ(mean({rank, rank}).idle, rank.step);
}

TEST(MeanBreakdown, OfNoRanksIsEmpty) {
  EXPECT_EQ(mean({}), RankBreakdown{});
}

}  // namespace
}  // namespace quintet
