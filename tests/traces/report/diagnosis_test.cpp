#include "traces/report/diagnosis.h"

#include <gtest/gtest.h>

#include "tests/traces/report/small_step.h"

namespace quintet {
namespace {

using test::data_parallel;
using test::SmallStep;

constexpr std::int64_t us = SmallStep::us;

Diagnosis diagnosed(const SmallStep& step) {
  EXPECT_TRUE(faults(step.workload()).empty());
  return diagnose(step.timeline(), step.workload());
}

// 4 layers of 100 us, rank 2's of 300 us; each summed in 50 us, the last beyond what is computed:
// 1200 + 50 + 1 us. Without the excess 400 + 50 + 1.
TEST(Diagnosis, NamesASlowRankFirst) {
  const Diagnosis found =
      diagnosed(data_parallel({100 * us, 100 * us, 300 * us, 100 * us}, 4, 1e6, 50 * us));
  ASSERT_FALSE(found.findings.empty());
  const Finding& first = found.findings.front();
  EXPECT_EQ(first.kind, FindingKind::slow_ranks);
  EXPECT_EQ(first.ranks, std::vector{Rank{2}});
  EXPECT_EQ(first.hosts, std::vector<std::string>{"host2"});
  EXPECT_EQ(first.cost, Duration{800 * us});
  EXPECT_EQ(first.cause, "Rank 2 on host2 computes 3.0 times as long as ranks that do the same.");
}

// Neither alone would make the step shorter.
TEST(Diagnosis, NamesTwoSlowRanksTogether) {
  const Diagnosis found =
      diagnosed(data_parallel({100 * us, 300 * us, 100 * us, 300 * us, 100 * us}, 4, 1e6, 50 * us));
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().kind, FindingKind::slow_ranks);
  EXPECT_EQ(found.findings.front().ranks, (std::vector{Rank{1}, Rank{3}}));
  EXPECT_EQ(found.findings.front().cost, Duration{800 * us});
}

TEST(Diagnosis, SaysWhoIsWaitedForAndWhy) {
  const Diagnosis found =
      diagnosed(data_parallel({100 * us, 100 * us, 300 * us, 100 * us}, 4, 1e6, 50 * us));
  ASSERT_EQ(found.stragglers.size(), 1U);
  const Straggler& late = found.stragglers.front();
  EXPECT_EQ(late.late.rank, 2);
  EXPECT_EQ(late.late.times, 4);
  EXPECT_EQ(late.cause, LateCause::computing);
  EXPECT_EQ(late.computing, Duration{800 * us});
  // The first is waited for 200 us; the others come when the one before it is done, 350, 650 and
  // 950 us, 250 us before rank 2.
  EXPECT_EQ(late.late.waited, Duration{(200 + 3 * 250) * us});
}

// Two pairs sum within, and send to one another: (0, 1) -> (2, 3). Everything that touches host1
// takes four times as long.
SmallStep slow_host1() {
  SmallStep step(4, {0, 0, 1, 1});
  const int first = step.group("tensor of stage 0", {0, 1}),
            second = step.group("tensor of stage 1", {2, 3});
  for (int layer = 0; layer < 6; ++layer) {
    const std::vector<int> ends{step.compute(0, "layer", 20 * us),
                                step.compute(1, "layer", 20 * us)};
    const std::vector<int> sums =
        step.collective(first, CollectiveKind::all_reduce, 1e6, 400 * us, ends);
    const int zero = step.compute(0, "norm", 5 * us, {sums[0]});
    const int one = step.compute(1, "norm", 5 * us, {sums[1]});
    const int to2 = step.message(0, 2, 5e5, 50 * us, zero).second;
    const int to3 = step.message(1, 3, 5e5, 200 * us, one).second;
    const std::vector<int> then{step.compute(2, "layer", 20 * us, {to2}),
                                step.compute(3, "layer", 20 * us, {to3})};
    const std::vector<int> last =
        step.collective(second, CollectiveKind::all_reduce, 1e6, 100 * us, then);
    step.compute(2, "norm", 5 * us, {last[0]});
    step.compute(3, "norm", 5 * us, {last[1]});
  }
  return step;
}

TEST(Diagnosis, NamesTheHostOfASlowLinkFirst) {
  const Diagnosis found = diagnosed(slow_host1());
  ASSERT_FALSE(found.findings.empty());
  const Finding& first = found.findings.front();
  EXPECT_EQ(first.kind, FindingKind::slow_network);
  EXPECT_EQ(first.hosts, std::vector<std::string>{"host1"});
  // Stage 0 sets the pace: 6 x (20 + 400 + 5), less 300 each without; then 200 + 20 + 100 + 5 of
  // stage 1, less 150.
  EXPECT_EQ(first.cost, Duration{(6 * 300 + 150) * us});
}

// Of four ranks in a row the messages between 1 and 2 take five times as long as the others.
TEST(Diagnosis, NamesBothEndsOfASlowLink) {
  SmallStep step(4, {0, 1, 2, 3});
  for (int micro = 0; micro < 4; ++micro) {
    int received = -1;
    for (int rank = 0; rank < 4; ++rank) {
      const int done = step.compute(rank, "forward", 10 * us, {received});
      if (rank < 3)
        received = step.message(rank, rank + 1, 1e6, rank == 1 ? 500 * us : 100 * us, done).second;
    }
  }
  const Diagnosis found = diagnosed(step);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().kind, FindingKind::slow_network);
  EXPECT_EQ(found.findings.front().hosts, (std::vector<std::string>{"host1", "host2"}));
  // 10 + 100 + 10, 4 x 500, 10 + 100 + 10; then 10 + 100 + 10, 4 x 100, 10 + 100 + 10.
  EXPECT_EQ(found.step, Duration{2240 * us});
  EXPECT_EQ(found.findings.front().cost, Duration{1600 * us});
}

SmallStep launch_bound(std::int64_t gap_of_rank_1, std::int64_t gap_of_others) {
  SmallStep step(3);
  const int group = step.group("data", {0, 1, 2});
  std::vector<int> last(3);
  for (int kernel = 0; kernel < 40; ++kernel)
    for (int rank = 0; rank < 3; ++rank) {
      step.gap(rank, rank == 1 ? gap_of_rank_1 : gap_of_others);
      last[static_cast<std::size_t>(rank)] = step.compute(rank, "kernel", 4 * us);
    }
  step.collective(group, CollectiveKind::all_reduce, 1e6, 20 * us, last);
  return step;
}

TEST(Diagnosis, SaysThatAStepIsLaunchBound) {
  const Diagnosis found = diagnosed(launch_bound(6 * us, 6 * us));
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().kind, FindingKind::launch_bound);
  EXPECT_EQ(found.findings.front().cost, Duration{40 * 6 * us});
  EXPECT_TRUE(found.findings.front().ranks.empty());
}

TEST(Diagnosis, NamesARankThatLaunchesLate) {
  const Diagnosis found = diagnosed(launch_bound(12 * us, 2 * us));
  ASSERT_GE(found.findings.size(), 2U);
  EXPECT_EQ(found.findings[0].kind, FindingKind::late_launches);
  EXPECT_EQ(found.findings[0].ranks, std::vector{Rank{1}});
  EXPECT_EQ(found.findings[0].cost, Duration{40 * 10 * us});
  EXPECT_EQ(found.findings[1].kind, FindingKind::launch_bound);
  EXPECT_EQ(found.findings[1].cost, Duration{40 * 2 * us});
  ASSERT_FALSE(found.stragglers.empty());
  EXPECT_EQ(found.stragglers.front().cause, LateCause::launches);
}

// 64 buckets of 1, 2, 3 and 4 kB, 50 us and 1 us a kB each, after 10 us of computing.
TEST(Diagnosis, SaysThatBucketsAreTooSmall) {
  SmallStep step(2);
  const int group = step.group("data", {0, 1});
  std::vector<int> last(2);
  for (int bucket = 0; bucket < 64; ++bucket) {
    const int kilobytes = 1 + bucket % 4;
    const std::vector<int> done{step.compute(0, "backward", 10 * us),
                                step.compute(1, "backward", 10 * us)};
    last = step.collective(group, CollectiveKind::all_reduce, 1e3 * kilobytes,
                           (50 + kilobytes) * us, done);
  }
  for (int rank = 0; rank < 2; ++rank)
    step.compute(rank, "update", 10 * us, {last[static_cast<std::size_t>(rank)]});
  const Diagnosis found = diagnosed(step);
  ASSERT_FALSE(found.findings.empty());
  const Finding& first = found.findings.front();
  EXPECT_EQ(first.kind, FindingKind::small_collectives);
  EXPECT_EQ(first.group, "data");
  ASSERT_EQ(found.small_collectives.size(), 1U);
  const SmallCollectives& small = found.small_collectives.front();
  EXPECT_EQ(small.count, 64);
  EXPECT_NEAR(small.worth.value, 200e3, 1);  // 200 us for its bytes: four times the latency
  EXPECT_EQ(small.merged, 1);                // 160 kB in all
  // 10 us, then 64 x 52.5 us; instead of the latencies one: less 63 x 50 us, but then computing (64
  // x 10 us) is what the step waits for, and the last sum (4 us and a 64th of 50 us).
  EXPECT_NEAR(static_cast<double>(first.cost.picoseconds) / us,
              10 + 64 * 52.5 - (640 + 4 + 50. / 64), 0.01);
}

// Between two of them something computes that needs the first, as under tensor parallelism: they
// cannot be merged.
TEST(Diagnosis, LeavesSmallCollectivesThatAreWaitedFor) {
  SmallStep step(2);
  const int group = step.group("tensor", {0, 1});
  std::vector<int> done{-1, -1};
  for (int layer = 0; layer < 64; ++layer) {
    const std::vector<int> sums = step.collective(
        group, CollectiveKind::all_reduce, 1e3 * (1 + layer % 4), (50 + layer % 4) * us, done);
    done = {step.compute(0, "layer", 10 * us, {sums[0]}),
            step.compute(1, "layer", 10 * us, {sums[1]})};
  }
  const Diagnosis found = diagnosed(step);
  EXPECT_TRUE(found.small_collectives.empty());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings.front().kind, FindingKind::exposed_communication);
}

TEST(Diagnosis, NamesTheStageThatComputesMost) {
  SmallStep step(3, {0, 1, 2});
  for (int micro = 0; micro < 8; ++micro) {
    int received = -1;
    for (int rank = 0; rank < 3; ++rank) {
      int done = -1;
      for (int layer = 0; layer < (rank == 1 ? 4 : 1); ++layer)
        done = step.compute(rank, "layer", 50 * us, {received});
      if (rank < 2) received = step.message(rank, rank + 1, 1e4, us, done).second;
    }
  }
  const Diagnosis found = diagnosed(step);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().kind, FindingKind::uneven_stages);
  EXPECT_EQ(found.stage_imbalance, (Imbalance{{800 * us}, {1600 * us}, 1}));
  // Each layer takes the same wherever it is: no rank is slow.
  for (const RankComputing& rank : found.computing) EXPECT_EQ(rank.slowness, 1);
}

// All is computing, but for the last sum of 1 us in 401 + 1.
TEST(Diagnosis, FindsNothingWhereNothingIsWrong) {
  const Diagnosis found = diagnosed(data_parallel({100 * us, 100 * us}, 4, 1e5, us));
  EXPECT_TRUE(found.findings.empty());
}

TEST(Diagnosis, OfNothingIsNothing) {
  const Diagnosis found = diagnose(Timeline{}, Workload{});
  EXPECT_EQ(found.step, Duration{});
  EXPECT_TRUE(found.findings.empty());
  EXPECT_TRUE(found.path.empty());
}

}  // namespace
}  // namespace quintet
