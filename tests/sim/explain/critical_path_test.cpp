#include "sim/explain/path/critical_path.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

using Kind = PathKind;

// One rank: forward 0..40, all-reduce 40..70 while backward runs 40..60, update 70..100. The update
// begins when the all-reduce ends; the backward, over at 60, is not on the path.
TEST(CriticalPath, IsWhatEndedLastBefore) {
  Timeline timeline = small_world(100);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::forward, 0, 40);
  add_span(timeline, track, On::backward, 40, 60);
  add_span(timeline, track, On::data_all_reduce, 40, 40, 70);
  add_span(timeline, track, On::update, 70, 100);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {40}},
                                                             {Kind::moving, 0, 2, {40}, {70}},
                                                             {Kind::compute, 0, 3, {70}, {100}}}));
}

// Stage 0 computes 0..50 and sends 50..80; stage 1 posted its receive at 0, gets data 50..80 and
// computes 80..100. Back from the end: compute, the message, and the computing of the stage that
// it came from.
TEST(CriticalPath, FollowsAMessageToItsSender) {
  Timeline timeline = small_world(100);
  const std::int32_t first = add_track(timeline, 0), second = add_track(timeline, 1);
  add_span(timeline, first, On::forward, 0, 50);
  add_span(timeline, first, On::send, 50, 50, 80).flow = 1;
  add_span(timeline, second, On::receive, 0, 50, 80).flow = 1;
  add_span(timeline, second, On::forward, 80, 100);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {50}},
                                                             {Kind::moving, 1, 2, {50}, {80}},
                                                             {Kind::compute, 1, 3, {80}, {100}}}));
}

// A message of no size that is under way for 20: it is sent at 50 at once, and received at 70.
TEST(CriticalPath, FollowsAMessageThatIsOnlyUnderWay) {
  Timeline timeline = small_world(100);
  const std::int32_t first = add_track(timeline, 0), second = add_track(timeline, 1);
  add_span(timeline, first, On::forward, 0, 50);
  add_span(timeline, first, On::send, 50, 50, 50).flow = 1;
  add_span(timeline, second, On::receive, 0, 70, 70).flow = 1;
  add_span(timeline, second, On::forward, 70, 100);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {50}},
                                                             {Kind::moving, 1, 2, {50}, {70}},
                                                             {Kind::compute, 1, 3, {70}, {100}}}));
}

// The lane that receives was busy until 60 with another message; this one, sent at 50, came at 70.
TEST(CriticalPath, FollowsAMessageThatWasSentBeforeItsReceiveWasPosted) {
  Timeline timeline = small_world(100);
  const std::int32_t first = add_track(timeline, 0), second = add_track(timeline, 1);
  add_span(timeline, first, On::forward, 0, 50);
  add_span(timeline, first, On::send, 50, 50, 50).flow = 1;
  add_span(timeline, second, On::receive, 0, 60, 60);
  add_span(timeline, second, On::receive, 60, 70, 70).flow = 1;
  add_span(timeline, second, On::forward, 70, 100);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {50}},
                                                             {Kind::moving, 1, 3, {50}, {70}},
                                                             {Kind::compute, 1, 4, {70}, {100}}}));
}

// It takes no time at all: the computing of stage 1 follows that of stage 0, without a piece
// between.
TEST(CriticalPath, FollowsAMessageThatTakesNoTime) {
  Timeline timeline = small_world(100);
  const std::int32_t first = add_track(timeline, 0), second = add_track(timeline, 1);
  add_span(timeline, first, On::forward, 0, 50);
  add_span(timeline, first, On::send, 50, 50, 50).flow = 1;
  add_span(timeline, second, On::receive, 0, 50, 50).flow = 1;
  add_span(timeline, second, On::forward, 50, 100);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {50}},
                                                             {Kind::compute, 1, 3, {50}, {100}}}));
}

// Stages' scripts have infos of their own for what they reduce together: stage 1 waits from 20 on
// for stage 0, which computes until 60.
TEST(CriticalPath, KnowsTheCollectivesOfSeveralStages) {
  Timeline timeline = small_world(100);
  const std::int32_t first = add_track(timeline, 0), second = add_track(timeline, 1);
  SpanInfo norm = timeline.infos[static_cast<std::size_t>(On::data_all_reduce)];
  norm.name = "all-reduce gradient norm";
  norm.axis = Axis::pipeline;
  timeline.infos.push_back(norm);
  timeline.infos.push_back(norm);
  const auto own = static_cast<On>(timeline.infos.size() - 2);
  const auto other = static_cast<On>(timeline.infos.size() - 1);
  add_span(timeline, first, On::forward, 0, 60);
  add_span(timeline, first, own, 60, 60, 80);
  add_span(timeline, second, On::forward, 0, 20);
  add_span(timeline, second, other, 20, 60, 80);
  add_span(timeline, second, On::update, 80, 100);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {60}},
                                                             {Kind::moving, 1, 3, {60}, {80}},
                                                             {Kind::compute, 1, 4, {80}, {100}}}));
}

// Both ranks' all-reduce moves from 60, when the slower one comes: the path of the faster, which
// ends last, goes through what held the slower one up.
TEST(CriticalPath, FollowsACollectiveToWhoCameLast) {
  Timeline timeline = small_world(100);
  const std::int32_t fast = add_track(timeline, 0), slow = add_track(timeline, 0);
  add_span(timeline, fast, On::forward, 0, 20);
  add_span(timeline, fast, On::tensor_all_reduce, 20, 60, 80);
  add_span(timeline, fast, On::update, 80, 100);
  add_span(timeline, slow, On::forward, 0, 60);
  add_span(timeline, slow, On::tensor_all_reduce, 60, 60, 80);
  add_span(timeline, slow, On::update, 80, 99);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 1, 3, {0}, {60}},
                                                             {Kind::moving, 0, 1, {60}, {80}},
                                                             {Kind::compute, 0, 2, {80}, {100}}}));
}

// A peer that the timeline does not show: 10..40 was spent waiting for it.
TEST(CriticalPath, WaitsForWhomItDoesNotSee) {
  Timeline timeline = small_world(60);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::forward, 0, 10);
  add_span(timeline, track, On::receive, 10, 40, 50);
  add_span(timeline, track, On::backward, 50, 60);
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {10}},
                                                             {Kind::waiting, 0, 1, {10}, {40}},
                                                             {Kind::moving, 0, 1, {40}, {50}},
                                                             {Kind::compute, 0, 2, {50}, {60}}}));
}

// 20..30 the CPU had launched nothing, 40..50 nobody knows why.
TEST(CriticalPath, NamesLaunchesAndSaysWhereNothingIsKnown) {
  Timeline timeline = small_world(60);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::forward, 0, 20);
  add_span(timeline, track, On::forward, 30, 40);
  add_span(timeline, track, On::backward, 50, 60);
  timeline.host_gaps.push_back({track, {20}, {30}});
  EXPECT_EQ(critical_path(timeline), (std::vector<PathPiece>{{Kind::compute, 0, 0, {0}, {20}},
                                                             {Kind::host, 0, -1, {20}, {30}},
                                                             {Kind::compute, 0, 1, {30}, {40}},
                                                             {Kind::nothing, 0, -1, {40}, {50}},
                                                             {Kind::compute, 0, 2, {50}, {60}}}));
}

// From the first test's timeline: 40 + 30 of compute by phase, 30 of an all-reduce.
TEST(CriticalPath, SharesSumToTheStep) {
  Timeline timeline = small_world(100);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::forward, 0, 40);
  add_span(timeline, track, On::data_all_reduce, 40, 40, 70);
  add_span(timeline, track, On::update, 70, 100);
  EXPECT_EQ(path_shares(timeline, critical_path(timeline)),
            (std::vector<PathShare>{{"compute, forward", Kind::compute, {40}, 1},
                                    {"compute, update", Kind::compute, {30}, 1},
                                    {"data, collective", Kind::moving, {30}, 1}}));
}

// Whatever overlaps, starts before 0 or lasts beyond the end.
TEST(CriticalPath, OfAnyTimelineIsContiguousAndAsLongAsTheStep) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Timeline timeline = random_timeline(seed, {4, 40, 1000});
    int flow = 0;
    for (Span& span : timeline.spans)
      if (seed % 2 == 0 &&
          is_communication(timeline.infos[static_cast<std::size_t>(span.info)].kind))
        span.flow = flow++ / 2;
    const std::vector<PathPiece> path = critical_path(timeline);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.back().to, timeline.end);
    for (std::size_t i = 0; i < path.size(); ++i) {
      EXPECT_LT(path[i].from, path[i].to) << seed;
      EXPECT_EQ(path[i].from, i == 0 ? Instant{} : path[i - 1].to) << seed;
    }
  }
}

}  // namespace
}  // namespace quintet
