// Replays on other machines, against what predict() says of the same plan there.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/simulate/predict.h"
#include "sim/timeline/causes_of_spans.h"
#include "sim/topology/faults/faults.h"
#include "tests/support/small_worlds.h"
#include "traces/replay/replay.h"
#include "traces/workload/own_timeline.h"

namespace quintet {
namespace {

// Four ranks of one GPU each, whose data-parallel and pipeline traffic crosses a switch.
struct World {
  Topology fast = test::built(test::gpu_host(1, 1), 4, test::tree("fat_tree", 16));
  Topology slow;
  Plan plan;
  CostTable none;

  World() {
    Faults faults;
    for (int host = 0; host < 4; ++host)
      faults.slow.push_back("host" + std::to_string(host) + "/nic0=0.1");
    Result<Topology> worse = with_faults(fast, faults);
    EXPECT_TRUE(worse) << worse.error().text();
    slow = std::move(*worse);
  }
};

// A rank computes, then all sum up, then compute again: `late` has the first computing of rank 0.
Workload one_all_reduce(Duration computing, Duration late, Duration moving, Bytes size) {
  Workload made{.name = "job", .recorded = true};
  made.lanes = {{LaneKind::compute, "compute"}, {LaneKind::communication, "sums"}};
  made.infos = {{.name = "kernel", .kind = SpanKind::compute, .work = OperatorKind::kernel},
                {.name = "all-reduce", .kind = SpanKind::collective, .size = size, .lane = 1}};
  made.groups = {{"all", {}, {0, 1, 2, 3}}};
  const Instant all_here = Instant{} + std::max(computing, late), summed = all_here + moving;
  for (int rank = 0; rank < 4; ++rank) {
    WorkloadRank own{.rank = Rank{rank}};
    const Instant ready = Instant{} + (rank == 0 ? late : computing);
    own.peers = {{.group = 0, .sequence = 0}};
    own.add({.info = 0, .work = ready - Instant{}, .end = ready}, {});
    const std::int32_t first = 0, second = 1;
    own.add({.info = 1, .peers = 0, .start = ready, .moving = all_here, .end = summed},
            {&first, 1});
    own.add({.info = 0,
             .work = computing,
             .start = summed,
             .moving = summed,
             .end = summed + computing},
            {&second, 1});
    made.ranks.push_back(std::move(own));
  }
  made.end = summed + computing;
  complete_groups(made);
  return made;
}

constexpr Duration milliseconds(std::int64_t count) {
  return Duration{count * 1'000'000'000};
}

TEST(OtherMachines, WaitingIsNoWork) {
  // Rank 0 is 3 ms late: the others wait for 3 of the 5 ms that their spans last. Faster kernels of
  // half the time: 0.5 x 4 ms, 2 ms of moving, 0.5 x 1 ms.
  const Workload job =
      one_all_reduce(milliseconds(1), milliseconds(4), milliseconds(2), Bytes{1e6});
  const Result<Replay> half = replay(job, {.kernels = {{"kernel", 0.5}}});
  ASSERT_TRUE(half) << half.error().text();
  EXPECT_EQ(half->timeline.end - Instant{}, Duration{4'500'000'000});
  EXPECT_EQ(half->changed_kernels, std::vector<std::int64_t>{8});
}

TEST(OtherMachines, OnTheSameMachineNothingChanges) {
  const World world;
  const Workload job =
      one_all_reduce(milliseconds(1), milliseconds(1), milliseconds(9), Bytes{1e8});
  const ReplayMachine same{&world.fast, &world.plan, &world.none};
  const Result<Replay> replayed = replay(job, {.recorded_on = same, .on = same});
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_NEAR(seconds(replayed->timeline.end).value, seconds(job.end).value, 1e-9);
}

TEST(OtherMachines, WhatTookLongerThanTheModelSaysStaysAsLong) {
  const World world;
  const Workload job =
      one_all_reduce(milliseconds(1), milliseconds(1), milliseconds(90), Bytes{1e8});
  const ReplayMachine fast{&world.fast, &world.plan, &world.none};
  const ReplayMachine slow{&world.slow, &world.plan, &world.none};
  const auto moving = [&](const ReplayOptions& options) {
    const Result<Replay> replayed = replay(job, options);
    EXPECT_TRUE(replayed) << (replayed ? "" : replayed.error().text());
    return replayed ? seconds(replayed->timeline.end).value - 2e-3 : 0.0;
  };
  // A ring over 4 ranks moves 1.5 x 100 MB; at 5 GB/s that is 30 ms.
  const double on_fast = moving({.on = fast}), on_slow = moving({.on = slow});
  EXPECT_GT(on_slow, 30e-3);
  EXPECT_LT(on_fast, 15e-3);
  EXPECT_NEAR(moving({.recorded_on = fast, .on = slow}), 90e-3 - on_fast + on_slow, 1e-6);
}

TEST(OtherMachines, ReplicasMeetInWhatServesTheDataAxis) {
  const World world;
  const Workload job =
      one_all_reduce(milliseconds(1), milliseconds(1), milliseconds(9), Bytes{1e8});
  const Topology eight = test::built(test::gpu_host(1, 1), 8, test::tree("fat_tree", 16));
  const ReplayMachine on{&eight, &world.plan, &world.none};
  const Result<Replay> one = replay(job, {.on = on}), two = replay(job, {.on = on, .replicas = 2});
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(two) << two.error().text();
  // A ring moves 2 (n - 1) / n of the buffer: 1.5 times among 4, 1.75 times among 8.
  const auto moving = [](const Replay& each) { return seconds(each.timeline.end).value - 2e-3; };
  EXPECT_NEAR(moving(*two) / moving(*one), 1.75 / 1.5, 0.05);
  EXPECT_EQ(two->timeline.tracks.front().ranks, 2);
}

TEST(OtherMachines, TooFewSlotsAreNamed) {
  const World world;
  const Workload job =
      one_all_reduce(milliseconds(1), milliseconds(1), milliseconds(9), Bytes{1e8});
  const ReplayMachine on{&world.fast, &world.plan, &world.none};
  const Result<Replay> refused = replay(job, {.on = on, .replicas = 2});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("has room for 4 ranks, and the job has 8"),
            std::string::npos)
      << refused.error().text();
}

TEST(OtherMachines, ACollectiveWithoutPartnersTakesItsTimeAndIsCounted) {
  Workload job = one_all_reduce(milliseconds(1), milliseconds(1), milliseconds(2), Bytes{1e6});
  job.ranks[3].tasks[1].peers = -1;  // rank 3 does something else
  const Result<Replay> replayed = replay(job, {});
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_EQ(replayed->timeline.end, job.end);
  ASSERT_EQ(replayed->remarks.size(), 1u);
  EXPECT_EQ(
      replayed->remarks.front().text,
      "3 calls of group all have no partner on all of its ranks: each takes the time it took");
}

}  // namespace
}  // namespace quintet
