#include "traces/workload/recorded_job.h"

#include <gtest/gtest.h>

#include "traces/workload/job_clock.h"

namespace quintet {
namespace {

// A rank that launches a kernel and a sum over both ranks in each of its steps; its clock is
// `ahead`.
RankTrace rank_of_two(int rank, std::int64_t ahead, std::int64_t late, int steps = 1) {
  RankTrace trace{
      .file = "rank" + std::to_string(rank), .format = "Kineto", .rank = rank, .world_size = 2};
  trace.names = {"launch",         "gemm",           "ncclDevKernel_AllReduce_Sum(int)",
                 "ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"};
  trace.rows = {{RecordedRow::Kind::stream, 0, 7, "stream 7"},
                {RecordedRow::Kind::stream, 0, 20, "stream 20"},
                {RecordedRow::Kind::thread, -1, 100, "thread"}};
  trace.groups = {{"0", "default_pg", {0, 1}, 2}};
  trace.communications = {
      {.kind = CommunicationKind::all_reduce, .size = Bytes{4096}, .group = 0, .sequence = 1}};
  std::int64_t correlation = 0;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t begin = step * 1'000'000 - ahead;
    trace.events.push_back({begin, 900'000, -1, -1, 3 + step, 2, -1, EventKind::annotation});
    for (const auto& [name, row, start, time] :
         {std::tuple(1, 0, 20'000 + late, std::int64_t{100'000}),
          std::tuple(2, 1, 130'000 + late, std::int64_t{300'000} - late)}) {
      ++correlation;
      trace.events.push_back(
          {begin + 1000 * correlation, 500, correlation, -1, 0, 2, -1, EventKind::launch});
      trace.events.push_back(
          {begin + start, time, correlation, -1, name, row, name == 2 ? 0 : -1, EventKind::kernel});
    }
  }
  put_in_order(trace);
  return trace;
}

Workload job(std::vector<RankTrace> traces, const std::string& step = "") {
  Result<Workload> made = workload_of(std::move(traces), step);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  EXPECT_EQ(faults(made ? *made : Workload{}), std::vector<std::string>{});
  return made ? std::move(*made) : Workload{};
}

const WorkloadTask& sum_of(const Workload& workload, std::size_t rank) {
  for (const WorkloadTask& task : workload.ranks[rank].tasks)
    if (task.peers >= 0) return task;
  return workload.ranks[rank].tasks.front();
}

TEST(RecordedJob, MatchesCollectivesAcrossRanks) {
  // Rank 1 comes 50 us later: its sum lasts 250 us, rank 0's 300 us of which it waits for 50.
  const Workload made = job({rank_of_two(1, 0, 50'000), rank_of_two(0, 0, 0)});
  ASSERT_EQ(made.ranks.size(), 2u);
  EXPECT_EQ(made.ranks[0].rank, Rank{0});  // in order of ranks, however they were given
  ASSERT_EQ(made.groups.size(), 1u);
  EXPECT_EQ(made.groups[0].members, (std::vector<int>{0, 1}));
  const WorkloadTask &first = sum_of(made, 0), &second = sum_of(made, 1);
  EXPECT_EQ(first.moving - first.start, Duration{50'000'000});
  EXPECT_EQ(second.moving, second.start);
  EXPECT_EQ(first.end, second.end);
}

TEST(RecordedJob, SetsClocksByTheEndsOfCollectives) {
  // Rank 1's clock is 7 ms behind: without correction its sum would end 7 ms before rank 0's.
  const Workload made = job({rank_of_two(0, 0, 0), rank_of_two(1, 7'000'000, 0)});
  EXPECT_EQ(sum_of(made, 0).end, sum_of(made, 1).end);
  ASSERT_FALSE(made.remarks.empty());
  EXPECT_EQ(made.remarks.front().text,
            "Clocks were up to 7000 us apart and are set by the ends of collectives");
}

TEST(RecordedJob, TwoTracesOfOneRankAreRefused) {
  const Result<Workload> refused = workload_of({rank_of_two(0, 0, 0), rank_of_two(0, 0, 0)}, "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "rank0: is of rank 0, and so is rank0: give one of them");
}

TEST(RecordedJob, TakesTheStepThatIsAskedFor) {
  const Workload first = job({rank_of_two(0, 0, 0, 3)}, "1");
  const Workload last = job({rank_of_two(0, 0, 0, 3)});
  EXPECT_EQ(first.name, "rank0, ProfilerStep#1");
  EXPECT_EQ(last.name, "rank0, ProfilerStep#3");
  EXPECT_EQ(first.ranks[0].tasks.size(), 4u);  // two launches, a kernel, a sum
  const Result<Workload> none = workload_of({rank_of_two(0, 0, 0, 3)}, "9");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("their steps: ProfilerStep#1, ProfilerStep#2, ProfilerStep#3"),
            std::string::npos)
      << none.error().text();
}

TEST(RecordedJob, KnowsOfRanksThatWereNotGiven) {
  const Workload made = job({rank_of_two(1, 0, 0)});
  EXPECT_EQ(made.world_size, 2);
  EXPECT_EQ(made.groups[0].members, (std::vector<int>{0, 1}));
  EXPECT_EQ(made.groups[0].ranks, (std::vector<std::int32_t>{0}));
}

TEST(JobClock, CorrectionsGoAlongSharedCollectives) {
  // 0 and 1 share one, 1 and 2 another; 3 shares none: 1 is 10 behind 0, 2 is 5 ahead of 1.
  const auto corrections = clock_corrections(4, {{{0, 100}, {1, 90}}, {{1, 190}, {2, 195}}});
  EXPECT_EQ(corrections[0], 0);
  EXPECT_EQ(corrections[1], 10);
  EXPECT_EQ(corrections[2], 5);
  EXPECT_EQ(corrections[3], 0);
}

}  // namespace
}  // namespace quintet
