#include "traces/report/step_graph.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"
#include "tests/traces/report/small_step.h"
#include "traces/report/retimed.h"

namespace quintet {
namespace {

using test::data_parallel;
using test::SmallStep;
using test::us;

struct Built {
  Timeline timeline;
  std::vector<Exchange> exchanges;
  StepGraph graph;
};

Built built(const Timeline& timeline, const Workload& workload) {
  const std::vector<Exchange> all = exchanges(timeline, workload);
  return {timeline, all, step_graph(timeline, workload, all)};
}
Built built(const SmallStep& step) {
  return built(step.timeline(), step.workload());
}

// A workload that knows nothing but what its timeline shows.
Workload bare_workload(const Timeline& timeline) {
  Workload made{.name = timeline.name, .recorded = true, .end = timeline.end};
  for (const std::string& lane : timeline.lanes)
    made.lanes.push_back({lane == "host" ? LaneKind::host : LaneKind::compute, lane});
  made.infos = timeline.infos;
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    WorkloadRank& rank = made.ranks.emplace_back();
    rank.rank = timeline.tracks[track].rank;
    for (const Span& span : timeline.spans)
      if (span.track == static_cast<std::int32_t>(track))
        rank.add({.info = span.info, .start = span.start, .moving = span.moving, .end = span.end},
                 {});
  }
  return made;
}

TEST(StepGraph, ReproducesTheRecording) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Timeline timeline = random_timeline(seed, {});
    const Built of = built(timeline, bare_workload(timeline));
    const Timeline again = retimed(of.graph, timeline, Changes(of.graph));
    EXPECT_EQ(again.spans, timeline.spans) << seed;
    EXPECT_EQ(again.end, timeline.end) << seed;
    EXPECT_EQ(retimed_step(of.graph, Changes(of.graph)), timeline.end - Instant{}) << seed;
  }
}

TEST(StepGraph, ReproducesCollectivesAndGaps) {
  SmallStep step = data_parallel({100 * us, 170 * us, 130 * us}, 5, 1e6, 40 * us);
  step.gap(1, 7 * us);
  step.compute(1, "late", 3 * us);
  const Built of = built(step);
  const Timeline again = retimed(of.graph, of.timeline, Changes(of.graph));
  EXPECT_EQ(again.spans, of.timeline.spans);
  EXPECT_EQ(again.host_gaps, of.timeline.host_gaps);
}

// What nothing orders in the workload is after what ended last before it: rank 0's second kernel,
// which starts when the collective ends, moves with it.
TEST(StepGraph, LetsWhatIsNotExplainedWaitForWhatEndedLast) {
  SmallStep step(2);
  const int group = step.group("data", {0, 1});
  step.compute(0, "short", 10 * us);
  const int slow = step.compute(1, "long", 100 * us);
  const std::vector<int> sums =
      step.collective(group, CollectiveKind::all_reduce, 1e6, 20 * us, {0, slow});
  step.compute(0, "next", 10 * us, {sums[0]});
  Workload workload = step.workload();
  for (WorkloadRank& rank : workload.ranks) {
    rank.after.clear();
    rank.after_begin.assign(rank.tasks.size() + 1, 0);
  }
  const Built of = built(timeline_of(workload), workload);
  Changes changes(of.graph);
  const auto long_one =
      std::find_if(of.timeline.spans.begin(), of.timeline.spans.end(), [&](const Span& span) {
        return of.timeline.infos[static_cast<std::size_t>(span.info)].name == "long";
      });
  changes.add({{{static_cast<std::int32_t>(long_one - of.timeline.spans.begin()), 0.5}}, {}});
  // 100 + 20 + 10, then 50 + 20 + 10.
  EXPECT_EQ(retimed_step(of.graph, Changes(of.graph)), Duration{130 * us});
  EXPECT_EQ(retimed_step(of.graph, changes), Duration{80 * us});
}

// A thread launches a kernel, waits for it, and launches another one: what the kernel takes less,
// the call that waits for it takes less. It costs 5 us itself beyond that.
TEST(StepGraph, LetsABlockingCallEndWithWhatItWaitsFor) {
  Workload workload;
  workload.recorded = true;
  workload.lanes = {{LaneKind::compute, "compute"}, {LaneKind::host, "thread"}};
  workload.infos = {{.name = "kernel"},
                    {.name = "launch", .kind = SpanKind::host, .lane = 1},
                    {.name = "synchronize", .kind = SpanKind::host, .lane = 1}};
  WorkloadRank& rank = workload.ranks.emplace_back();
  rank.rank = Rank{0};
  const auto task = [](std::int32_t info, std::int64_t start, std::int64_t end) {
    return WorkloadTask{
        .info = info, .start = {start * us}, .moving = {start * us}, .end = {end * us}};
  };
  const std::vector<std::int32_t> none, first{0}, second{1}, fourth{3};
  rank.add(task(1, 0, 10), none);
  rank.add(task(0, 12, 112), first);
  rank.add(task(2, 20, 117), second);
  rank.add(task(1, 117, 127), none);
  rank.add(task(0, 129, 229), fourth);
  workload.end = {229 * us};
  ASSERT_TRUE(faults(workload).empty());
  const Built of = built(timeline_of(workload), workload);
  Changes changes(of.graph);
  changes.add({{{1, 0.5}}, {}});
  EXPECT_EQ(retimed(of.graph, of.timeline, Changes(of.graph)).spans, of.timeline.spans);
  EXPECT_EQ(retimed_step(of.graph, changes), Duration{179 * us});
}

TEST(StepGraph, ShortensOnlyTheGapsThatAreNamed) {
  SmallStep step(1);
  for (int kernel = 0; kernel < 3; ++kernel) {
    step.gap(0, 8 * us);
    step.compute(0, "kernel", 2 * us);
  }
  const Built of = built(step);
  Changes changes(of.graph);
  changes.add({{}, {{0, 0.25}}});
  const Timeline shorter = retimed(of.graph, of.timeline, changes);
  EXPECT_EQ(shorter.end, Instant{3 * (2 + 2) * us});
  EXPECT_EQ(shorter.host_gaps,
            (std::vector<HostGap>{
                {0, {0}, {2 * us}}, {0, {4 * us}, {6 * us}}, {0, {8 * us}, {10 * us}}}));
}

// Calls that launch return after their kernels have begun, as they do where the device is idle: two
// calls of 50 us, kernels of 20 us that start 30 us into them. The CPU sets the pace; without the
// gaps both kernels run at once.
TEST(StepGraph, LetsKernelsStartBeforeTheirLaunchReturns) {
  Workload workload;
  workload.recorded = true;
  workload.lanes = {{LaneKind::compute, "compute"}, {LaneKind::host, "thread"}};
  workload.infos = {{.name = "kernel"}, {.name = "launch", .kind = SpanKind::host, .lane = 1}};
  WorkloadRank& rank = workload.ranks.emplace_back();
  rank.rank = Rank{0};
  const auto task = [](std::int32_t info, std::int64_t start, std::int64_t end) {
    return WorkloadTask{
        .info = info, .start = {start * us}, .moving = {start * us}, .end = {end * us}};
  };
  const std::vector<std::int32_t> none, first{0}, third{2};
  rank.add(task(1, 0, 50), none);
  rank.add(task(0, 30, 50), first);
  rank.add(task(1, 50, 100), none);
  rank.add(task(0, 80, 100), third);
  workload.end = {100 * us};
  const Built of = built(timeline_of(workload), workload);
  EXPECT_EQ(of.timeline.host_gaps,
            (std::vector<HostGap>{{0, {0}, {30 * us}}, {0, {50 * us}, {80 * us}}}));
  EXPECT_EQ(retimed(of.graph, of.timeline, Changes(of.graph)).spans, of.timeline.spans);
  Changes faster(of.graph), launched(of.graph);
  faster.add({{{1, 0.5}, {3, 0.5}}, {}});
  EXPECT_EQ(retimed_step(of.graph, faster), Duration{100 * us});
  launched.add({{}, {{0, 0.0}}});
  EXPECT_EQ(retimed_step(of.graph, launched), Duration{40 * us});
}

// Clocks that are apart: a collective's member starts after another one has ended.
TEST(StepGraph, SurvivesClocksThatDisagree) {
  SmallStep step = data_parallel({100 * us, 100 * us}, 4, 1e6, 50 * us);
  Workload workload = step.workload();
  for (WorkloadTask& task : workload.ranks[1].tasks) {
    task.start.picoseconds += 10'000 * us;
    task.moving.picoseconds += 10'000 * us;
    task.end.picoseconds += 10'000 * us;
  }
  workload.end.picoseconds += 10'000 * us;
  const Built of = built(timeline_of(workload), workload);
  EXPECT_EQ(of.graph.order.size(), 2 * of.timeline.spans.size());
  EXPECT_GT(retimed_step(of.graph, Changes(of.graph)), Duration{});
}

TEST(RecordedPath, IsWithoutGapsAndAsLongAsTheStep) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Timeline timeline = random_timeline(seed, {});
    const Built of = built(timeline, bare_workload(timeline));
    const std::vector<PathPiece> path = recorded_path(of.graph, timeline);
    Instant at;
    for (const PathPiece& piece : path) {
      EXPECT_EQ(piece.from, at);
      EXPECT_LT(piece.from, piece.to);
      at = piece.to;
    }
    EXPECT_EQ(at, timeline.end) << seed;
  }
}

// Rank 1 computes 100 us and is waited for; then the data moves, then rank 0 computes.
TEST(RecordedPath, GoesThroughWhoCameLast) {
  SmallStep step(2);
  const int group = step.group("data", {0, 1});
  step.compute(0, "short", 10 * us);
  const int slow = step.compute(1, "long", 100 * us);
  const std::vector<int> sums =
      step.collective(group, CollectiveKind::all_reduce, 1e6, 20 * us, {0, slow});
  step.compute(0, "next", 10 * us, {sums[0]});
  const Built of = built(step);
  std::vector<std::pair<std::int32_t, std::int64_t>> pieces;
  for (const PathPiece& piece : recorded_path(of.graph, of.timeline))
    pieces.push_back({piece.track, (piece.to - piece.from).picoseconds / us});
  EXPECT_EQ(pieces,
            (std::vector<std::pair<std::int32_t, std::int64_t>>{{1, 100}, {0, 20}, {0, 10}}));
}

}  // namespace
}  // namespace quintet
