#include "traces/workload/workload.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

// One rank: a thread that launches, two streams that compute. Times in picoseconds.
class Launching {
 public:
  Launching() {
    made_.recorded = true;
    made_.lanes = {{LaneKind::host, "thread"}, {LaneKind::compute, "a"}, {LaneKind::compute, "b"}};
    made_.infos = {{.name = "launch", .kind = SpanKind::host},
                   {.name = "on a", .kind = SpanKind::compute, .lane = 1},
                   {.name = "on b", .kind = SpanKind::compute, .lane = 2}};
    made_.ranks.push_back({.rank = Rank{0}});
  }
  Launching& task(std::int32_t info, std::int64_t start, std::int64_t end,
                  std::vector<std::int32_t> after = {}) {
    made_.ranks.front().add(
        {.info = info, .start = Instant{start}, .moving = Instant{start}, .end = Instant{end}},
        after);
    made_.end = std::max(made_.end, Instant{end});
    return *this;
  }
  std::vector<HostGap> gaps() const { return timeline_of(made_).host_gaps; }

 private:
  Workload made_;
};

TEST(LaunchGaps, AStreamThatIsFreeBeforeItsNextLaunchWaitsForTheHost) {
  // a is free from 20; the launch of its next returns at 40, and that begins at 45.
  EXPECT_EQ(
      Launching().task(0, 0, 5).task(1, 10, 20, {0}).task(0, 30, 40).task(1, 45, 60, {2}).gaps(),
      (std::vector<HostGap>{{0, Instant{0}, Instant{5}}, {0, Instant{20}, Instant{40}}}));
}

TEST(LaunchGaps, WorkThatWasLaunchedAheadHasNone) {
  EXPECT_EQ(
      Launching().task(0, 0, 5).task(0, 5, 8).task(1, 10, 20, {0}).task(1, 25, 40, {1}).gaps(),
      (std::vector<HostGap>{{0, Instant{0}, Instant{5}}}));
}

TEST(LaunchGaps, WhatRunsOnAnotherStreamMeanwhileHidesThem) {
  // b runs from 10 to 50: a's gap from 20 to 40 costs nothing.
  EXPECT_EQ(Launching()
                .task(0, 0, 5)
                .task(0, 5, 8)
                .task(1, 10, 20, {0})
                .task(2, 10, 50, {1})
                .task(0, 30, 40)
                .task(1, 45, 60, {4})
                .gaps(),
            (std::vector<HostGap>{{0, Instant{0}, Instant{5}}}));
}

}  // namespace
}  // namespace quintet
