#include "engine/timeline/gather_timeline.h"

#include <gtest/gtest.h>

#include <mutex>

#include "engine/peers/transport_peers.h"
#include "sim/timeline/program_infos.h"
#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

// Two stages, one kernel each.
Program two_stages() {
  Program program;
  program.grid.axes = {{Axis::pipeline, 2}};
  program.lanes = {{LaneKind::compute, "compute"}};
  program.bodies = {{"work", {{.name = "first", .lane = LaneId{0}, .action = Compute{}}}},
                    {"more", {{.name = "second", .lane = LaneId{0}, .action = Compute{}}}}};
  program.roles = {{"stage 0", 0, {}}, {"stage 1", 1, {}}};
  return program;
}

constexpr std::int64_t millisecond = 1'000'000'000;

// Span of 10 ms * (rank + 1), 1 ms after the origin. Origins of a step lie 5 ms apart on the true
// clock, so a step lasts from rank 0's origin to 5 + 1 + 20 ms later; `extra` makes it longer.
MeasuredStep step_of(int rank, int step, Clock::time_point zero, std::int64_t extra) {
  Span span;
  span.info = rank;
  span.start = span.moving = {millisecond};
  span.end = {millisecond + (rank + 1) * 10 * millisecond + extra};
  return {step,
          zero + Milliseconds(5 * rank),
          {Rank{rank}, {span}, {{millisecond}}, {"seen on " + std::to_string(rank)}}};
}

struct Gathered {
  std::mutex mutex;
  std::vector<Error> errors;
  std::optional<Timeline> timeline;
  int without = 0;  // ranks that got none
};

// Rank 1's clock is an hour ahead.
void gather(Transport& transport, Clock::time_point zero, const std::vector<std::int64_t>& extras,
            Gathered& into) {
  const int rank = transport.rank().value;
  const auto ahead = std::chrono::hours(rank);
  JobClockOptions options;
  options.now = [ahead] { return Clock::now() + ahead; };
  TransportPeers peers(transport);
  JobClock clock(peers, options);
  std::vector<MeasuredStep> steps;
  for (std::size_t i = 0; i < extras.size(); ++i)
    steps.push_back(step_of(rank, static_cast<int>(i) + 7, zero + ahead, extras[i]));
  auto timeline = gather_timeline(clock, two_stages(), steps, {{"a", "b", "c"}});
  const std::lock_guard lock(into.mutex);
  if (!timeline)
    into.errors.push_back(timeline.error());
  else if (*timeline)
    into.timeline = **timeline;
  else
    ++into.without;
}

bool near(Instant found, std::int64_t expected, Duration bound) {
  return std::abs(found.picoseconds - expected) <= bound.picoseconds;
}

// Extras 0, 9, 3, 1 ms: in order 0, 1, 3, 9; the lower of the middle two is 1 ms, step 10.
TEST(GatherTimeline, TakesTheMedianStepHomeOnOneClock) {
  Gathered gathered;
  const Clock::time_point zero = Clock::now();
  const std::string problem = run_job({2, SharedMemory::refuse, {}}, [&](Transport& transport) {
    gather(transport, zero, {0, 9 * millisecond, 3 * millisecond, millisecond}, gathered);
  });
  EXPECT_EQ(problem, "");
  EXPECT_EQ(gathered.errors, std::vector<Error>{});
  EXPECT_EQ(gathered.without, 1);
  ASSERT_TRUE(gathered.timeline);
  const Timeline& timeline = *gathered.timeline;
  ASSERT_TRUE(timeline.measurement);
  const Duration bound = timeline.measurement->clock_bound;
  EXPECT_GT(bound, Duration{});
  EXPECT_EQ(timeline.measurement->step, 10);
  EXPECT_EQ(timeline.measurement->deviations, (std::vector<PlanDeviation>{{"a", "b", "c"}}));
  const std::vector<std::int64_t> times{26 * millisecond, 35 * millisecond, 29 * millisecond,
                                        27 * millisecond};
  ASSERT_EQ(timeline.measurement->steps.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(timeline.measurement->steps[i].step, static_cast<int>(i) + 7);
    EXPECT_TRUE(near(Instant{} + timeline.measurement->steps[i].time, times[i], bound)) << i;
  }
  EXPECT_EQ(timeline.infos, program_infos(two_stages()));
  EXPECT_EQ(timeline.tracks,
            (std::vector<Track>{{Rank{0}, 1, 0, "stage 0"}, {Rank{1}, 1, 1, "stage 1"}}));
  EXPECT_EQ(timeline.cpu, (std::vector<Duration>{{millisecond}, {millisecond}}));
  EXPECT_EQ(timeline.notes, (std::vector<std::string>{"seen on 0", "seen on 1"}));
  ASSERT_EQ(timeline.spans.size(), 2u);
  EXPECT_EQ(timeline.spans[0].start, Instant{millisecond});
  EXPECT_EQ(timeline.spans[0].end, Instant{12 * millisecond});
  EXPECT_TRUE(near(timeline.spans[1].start, 6 * millisecond, bound));
  EXPECT_TRUE(near(timeline.spans[1].end, 27 * millisecond, bound));
  EXPECT_EQ(timeline.end, timeline.spans[1].end);
}

TEST(GatherTimeline, WorksForOneRank) {
  Gathered gathered;
  Program alone = two_stages();
  alone.grid.axes = {{Axis::pipeline, 1}};
  const Clock::time_point zero = Clock::now();
  const std::string problem = run_job({1, SharedMemory::refuse, {}}, [&](Transport& transport) {
    TransportPeers peers(transport);
    JobClock clock(peers);
    const MeasuredStep step = step_of(0, 3, zero, 0);
    auto timeline = gather_timeline(clock, alone, {&step, 1});
    ASSERT_TRUE(timeline) << timeline.error().text();
    gathered.timeline = *timeline;
  });
  EXPECT_EQ(problem, "");
  ASSERT_TRUE(gathered.timeline);
  const Measurement expected{3, {{3, {11 * millisecond}}}, {}, {}};
  EXPECT_EQ(gathered.timeline->measurement, expected);
  EXPECT_EQ(gathered.timeline->end, Instant{11 * millisecond});
}

// Every rank hears of it, nobody waits forever, and the job goes on.
TEST(GatherTimeline, RefusesRanksThatTellOfOtherSteps) {
  Gathered gathered;
  const Clock::time_point zero = Clock::now();
  const std::string problem = run_job({2, SharedMemory::refuse, {}}, [&](Transport& transport) {
    const bool first = transport.rank() == Rank{0};
    gather(transport, zero, first ? std::vector<std::int64_t>{0, 0} : std::vector<std::int64_t>{0},
           gathered);
    EXPECT_FALSE(transport.failure());
    gather(transport, zero, {0}, gathered);
  });
  EXPECT_EQ(problem, "");
  std::sort(gathered.errors.begin(), gathered.errors.end(),
            [](const Error& left, const Error& right) { return left.where < right.where; });
  EXPECT_EQ(
      gathered.errors,
      (std::vector<Error>{{"rank 0", "refused the spans: the ranks do not tell of the same steps"},
                          {"rank 1", "tells of 1 steps, rank 0 of 2"}}));
  EXPECT_TRUE(gathered.timeline);
}

}  // namespace
}  // namespace quintet::engine
