#include <gtest/gtest.h>

#include "tests/support/timelines.h"
#include "tests/traces/report/small_step.h"
#include "traces/report/collectives.h"
#include "traces/report/computing.h"
#include "traces/report/rank_times.h"

namespace quintet {
namespace {

using test::data_parallel;
using test::SmallStep;

constexpr std::int64_t us = SmallStep::us;

TEST(RankTimes, PartsSumToTheStep) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Timeline timeline = random_timeline(seed, {});
    std::vector<RankTimes> ranks = rank_times(timeline);
    ranks.push_back(mean(ranks));
    for (const RankTimes& rank : ranks) {
      EXPECT_EQ(sum(rank.breakdown), timeline.end - Instant{});
      EXPECT_EQ(rank.launch_gaps + rank.host_work, rank.breakdown.host);
      EXPECT_EQ(rank.kernel_wait + rank.unexplained, rank.breakdown.idle);
      EXPECT_LE(rank.hidden, rank.communicating);
      EXPECT_GE(rank.hidden, Duration{});
    }
  }
}

// 29 and 31 ns between kernels: the first is the GPU's own.
TEST(RankTimes, TellsShortGapsFromLongOnes) {
  Timeline timeline = small_world(160'000);
  add_track(timeline, 0);
  add_span(timeline, 0, On::forward, 0, 50'000);
  add_span(timeline, 0, On::forward, 79'000, 100'000);
  add_span(timeline, 0, On::forward, 131'000, 160'000);
  const RankTimes times = rank_times(timeline).front();
  EXPECT_EQ(times.kernel_wait, Duration{29'000});
  EXPECT_EQ(times.unexplained, Duration{31'000});
}

// Data moves from 20 to 60 and the rank computes up to 50: 30 of 40.
TEST(RankTimes, OverlapIsWhatIsHiddenOfAllMoving) {
  Timeline timeline = small_world(60);
  add_track(timeline, 0);
  add_span(timeline, 0, On::forward, 0, 50);
  add_span(timeline, 0, On::data_all_reduce, 10, 20, 60);
  const RankTimes times = rank_times(timeline).front();
  EXPECT_EQ(times.hidden, Duration{30});
  EXPECT_EQ(times.exposed(), Duration{10});
  EXPECT_EQ(times.overlap(), 0.75);
}

std::vector<GroupCollectives> collectives_of(const SmallStep& step) {
  return group_collectives(step.timeline(), step.workload(),
                           exchanges(step.timeline(), step.workload()));
}

// 4 all-reduces of 1 MB in 50 us among 3: 1e6 / 50e-6 x 2 (3 - 1) / 3 = 26.67 GB/s.
TEST(Collectives, BusBandwidthIsThatOfNcclTests) {
  const std::vector<GroupCollectives> groups =
      collectives_of(data_parallel({10 * us, 10 * us, 10 * us}, 4, 1e6, 50 * us));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].count, 4);
  EXPECT_EQ(groups[0].bytes, Bytes{4e6});
  EXPECT_EQ(groups[0].moving, Duration{200 * us});
  EXPECT_NEAR(groups[0].bus_bandwidth.value, 26.667e9, 1e6);
  EXPECT_FALSE(groups[0].fit);  // all are of one size
}

// Without sequences a rank's first is the others' first.
TEST(Collectives, AreMatchedByOrderWhereNothingNumbersThem) {
  const SmallStep step = data_parallel({10 * us, 30 * us}, 4, 1e6, 5 * us);
  Workload workload = step.workload();
  for (WorkloadRank& rank : workload.ranks)
    for (TaskPeers& peers : rank.peers) peers.sequence = -1;
  EXPECT_EQ(exchanges(step.timeline(), workload), exchanges(step.timeline(), step.workload()));
}

TEST(Collectives, OfOneRankAloneWaitForNobody) {
  const SmallStep step = data_parallel({10 * us, 30 * us}, 4, 1e6, 5 * us);
  Workload workload = step.workload();
  workload.ranks.pop_back();
  const Timeline timeline = timeline_of(workload);
  const std::vector<GroupCollectives> groups =
      group_collectives(timeline, workload, exchanges(timeline, workload));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, 2);
  EXPECT_TRUE(groups[0].last.empty());
}

TEST(LatencyFit, IsNotMisledByAFewThatWereDisturbed) {
  std::vector<SizedTime> times;
  for (int i = 1; i <= 20; ++i) {
    const double size = 1e4 * i;
    times.push_back({{size}, {20e-6 + size * 1e-10 + (i % 6 == 0 ? 500e-6 : 0)}});
  }
  const std::optional<LatencyFit> fit = latency_fit(times);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency.value, 20e-6, 1e-6);
  EXPECT_NEAR(fit->seconds_a_byte, 1e-10, 1e-12);
  EXPECT_NEAR(fit->half_size().value, 2e5, 1e4);
}

TEST(LatencyFit, IsNoneWhereSizesDoNotTell) {
  EXPECT_FALSE(latency_fit({}));
  EXPECT_FALSE(latency_fit({{{1e3}, {1e-6}}, {{1e3}, {2e-6}}}));
  EXPECT_FALSE(latency_fit({{{1e3}, {2e-6}}, {{1e6}, {1e-6}}}));
}

// Two stages of two ranks; one rank of the second takes twice as long for "b". Its peer is that of
// its stage, for what the other stage computes by that name differs in number.
TEST(Computing, IsHeldToRanksOfTheSameStage) {
  SmallStep step(4, {0, 0, 1, 1});
  for (int rank = 0; rank < 4; ++rank) {
    step.compute(rank, "a", 10 * us);
    for (int i = 0; i < (rank < 2 ? 1 : 3); ++i)
      step.compute(rank, "b", (rank == 3 ? 20 : 10) * us);
  }
  const std::vector<RankComputing> ranks = rank_computing(step.timeline());
  EXPECT_EQ(ranks[0].slowness, 1);
  EXPECT_EQ(ranks[2].slowness, 1);
  EXPECT_EQ(ranks[3].time, Duration{70 * us});
  EXPECT_EQ(ranks[3].expected, Duration{40 * us});
  ASSERT_FALSE(ranks[3].names.empty());
  EXPECT_EQ(ranks[3].names.front(), (NamedComputing{"b", 3, {60 * us}, {30 * us}}));
}

}  // namespace
}  // namespace quintet
