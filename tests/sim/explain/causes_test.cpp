#include "sim/explain/difference/causes.h"

#include <gtest/gtest.h>

#include "sim/explain/difference/charges.h"
#include "sim/explain/difference/difference_report.h"
#include "tests/support/difference_of.h"
#include "tests/support/timelines.h"

namespace quintet {
namespace {

constexpr std::int64_t ms = 1'000'000'000;

struct StepShape {
  std::vector<std::int64_t> forward, backward;  // ms, per rank
  std::int64_t all_reduce = 0;                  // ms, when all have come
};

// Ranks that compute, wait for the last of them, and all-reduce.
Timeline step_of(const StepShape& shape, const std::vector<std::string>& hosts = {}) {
  Timeline timeline = small_world(0);
  timeline.infos[static_cast<std::size_t>(On::data_all_reduce)].size = {4e6};
  Instant last;
  for (std::size_t rank = 0; rank < shape.forward.size(); ++rank)
    last = std::max(last, Instant{(shape.forward[rank] + shape.backward[rank]) * ms});
  timeline.end = {last.picoseconds + shape.all_reduce * ms};
  for (std::size_t rank = 0; rank < shape.forward.size(); ++rank) {
    const std::int32_t track = add_track(timeline, 0);
    timeline.tracks.back().rank = id_at<Rank>(rank);
    if (!hosts.empty()) timeline.tracks.back().host = hosts[rank];
    const std::int64_t half = shape.forward[rank] * ms, done = half + shape.backward[rank] * ms;
    add_span(timeline, track, On::forward, 0, half);
    add_span(timeline, track, On::backward, half, done);
    add_span(timeline, track, On::data_all_reduce, done, last.picoseconds,
             timeline.end.picoseconds);
  }
  return timeline;
}

// One rank stands for all four: 10 + 20 ms of computing, 10 ms of all-reduce.
Timeline folded() {
  Timeline timeline = step_of({{10}, {20}, 10});
  timeline.tracks[0].ranks = 4;
  return timeline;
}

std::string text_of(const Timeline& one, const Timeline& other) {
  const Difference found = difference_of(one, other);
  return difference_text({"p.json", "m.json", one, other, found});
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Rank 3 takes 60 ms instead of 30, so the others wait for 30: all 30 ms of the difference are its.
TEST(Causes, WaitingIsChargedToTheRankThatIsLate) {
  const Timeline late = step_of({{10, 10, 10, 20}, {20, 20, 20, 40}, 10}, {"a", "b", "c", "d"});
  const Difference found = difference_of(folded(), late);
  ASSERT_GE(found.causes.size(), 2u);
  const Cause& first = found.causes[0];
  EXPECT_EQ(first.kind, CauseKind::rank);
  EXPECT_EQ(first.rank, Rank{3});
  EXPECT_EQ(first.host, "d");
  EXPECT_EQ(first.charged.difference(), Duration{30 * ms});
  EXPECT_EQ(found.causes[1].charged.difference(), Duration{});
  expect_in(text_of(folded(), late),
            "1. +30.00 ms, +42.9 % of the step: rank 3 on d computed 2.00 times as long as "
            "predicted, "
            "the other ranks 1.00 times.\n"
            "Bubbles and waiting for peers (+22.50 ms) follow from these");
}

// 10 + 10 ms predicted; each rank takes 10 ms more, for the one operator or the other. The lower
// median of both is 10 ms, so each takes 1.5 times that, and none longer than the others.
TEST(Causes, RanksThatAreAllDisturbedAreNotSlow) {
  Timeline predicted = step_of({{10}, {10}, 10});
  predicted.tracks[0].ranks = 4;
  const Timeline disturbed = step_of({{20, 10, 20, 10}, {10, 20, 10, 20}, 10});
  for (const Cause& each : difference_of(predicted, disturbed).causes)
    EXPECT_NE(each.kind, CauseKind::rank);
}

// A rank whose thread had a core for half of the time: 4 ranks, 30 ms of it, says so.
TEST(Causes, SaysThatAnotherProgramHadTheCore) {
  Timeline late = step_of({{10, 10, 10, 20}, {20, 20, 20, 40}, 10});
  for (const Span& span : late.spans)
    late.cpu.push_back({(span.end - span.start).picoseconds / (span.track == 3 ? 2 : 1)});
  expect_in(text_of(folded(), late),
            "; a core ran its thread for 50 % of that time, the others' for 100 %.");
}

// The all-reduce takes 20 ms instead of 10: 4 MB in 20 ms are 200 MB/s.
TEST(Causes, ASlowNetworkIsNamedWithItsAxisAndRate) {
  const Timeline slow = step_of({{10, 10, 10, 10}, {20, 20, 20, 20}, 20});
  const Difference found = difference_of(folded(), slow);
  EXPECT_EQ(found.causes[0].kind, CauseKind::network);
  EXPECT_EQ(found.causes[0].axis, Axis::data);
  EXPECT_EQ(found.causes[0].charged, (Compared{{10 * ms}, {20 * ms}}));
  expect_in(text_of(folded(), slow),
            "1. +10.00 ms, +20.0 % of the step: the network took 2.00 times as long as predicted "
            "for data of the data axis (200.0 MB/s instead of 400.0 MB/s), on every rank alike.\n");
}

// Backward takes 30 ms instead of 20 everywhere: 1.5 is less than 15 % off the common 40 / 30. At
// 60 ms it is 3.0, off 70 / 30.
TEST(Causes, AnOperatorThatIsMispredictedEverywhereIsNamed) {
  const Timeline slow = step_of({{10, 10, 10, 10}, {30, 30, 30, 30}, 10});
  const Difference found = difference_of(folded(), slow);
  EXPECT_EQ(found.causes[0].kind, CauseKind::computing);
  const Timeline slower = step_of({{10, 10, 10, 10}, {60, 60, 60, 60}, 10});
  const Difference more = difference_of(folded(), slower);
  EXPECT_EQ(more.causes[0].kind, CauseKind::operators);
  EXPECT_EQ(more.causes[0].work, OperatorKind::attention);
  EXPECT_EQ(more.causes[0].charged.difference(), Duration{40 * ms});
  expect_in(text_of(folded(), slower),
            "attention backward took 3.00 times as long as predicted, all computing 2.33 times.");
}

// 20 ms of all-reduce behind a backward of 20 ms that hides 15 of them; then 16 ms of which none is
// hidden: 11 ms more are waited for, though the data is faster.
TEST(Causes, SayWhenMoreIsWaitedForThoughTheWorkTookLess) {
  const auto step = [](std::int64_t start, std::int64_t end) {
    Timeline timeline = small_world(end * ms);
    timeline.infos[static_cast<std::size_t>(On::data_all_reduce)].size = {4e6};
    add_track(timeline, 0);
    add_span(timeline, 0, On::backward, 0, 20 * ms);
    add_span(timeline, 0, On::data_all_reduce, start * ms, start * ms, end * ms);
    return timeline;
  };
  expect_in(text_of(step(5, 25), step(20, 36)),
            "1. +11.00 ms, +30.6 % of the step: the network took 0.80 times as long as predicted "
            "for data of the data axis (250.0 MB/s instead of 200.0 MB/s), on every rank alike, "
            "but more of it was waited for.\n");
}

// Both ranks of host b take twice as long.
TEST(Causes, AHostWhoseRanksAreAllSlowIsNamedAsOne) {
  const Timeline late = step_of({{10, 10, 10, 10, 20, 20}, {20, 20, 20, 20, 40, 40}, 10},
                                {"a", "a", "c", "c", "b", "b"});
  Timeline six = folded();
  six.tracks[0].ranks = 6;
  const Difference found = difference_of(six, late);
  EXPECT_EQ(found.causes[0].kind, CauseKind::host);
  EXPECT_EQ(found.causes[0].host, "b");
  EXPECT_EQ(found.causes[0].charged.difference(), Duration{30 * ms});
  ASSERT_EQ(found.per_host.size(), 3u);
  EXPECT_EQ(found.per_host[2].measured.compute, Duration{60 * ms});
}

// Stage 1 waits 10 ms for stage 0's activation, then 4 ms for data that is on its way, and stage 0
// waits at the end for stage 1.
Timeline two_stages(std::int64_t forward) {
  Timeline timeline = small_world((forward + 4 + 10) * ms);
  add_track(timeline, 0);
  add_track(timeline, 1);
  add_span(timeline, 0, On::forward, 0, forward * ms);
  add_span(timeline, 0, On::send, forward * ms, (forward + 4) * ms).flow = 0;
  add_span(timeline, 1, On::receive, 0, forward * ms, (forward + 4) * ms).flow = 0;
  add_span(timeline, 1, On::forward, (forward + 4) * ms, timeline.end.picoseconds);
  return timeline;
}

TEST(Charges, ABubbleIsChargedToTheStageThatComputes) {
  const std::vector<Charges> found = charges(two_stages(10));
  const Charge first{
      .deed = Deed::compute, .work = OperatorKind::mlp_up, .phase = Phase::forward, .track = 0};
  Charge second = first;
  second.track = 1;
  const Charge sent{.deed = Deed::moves, .axis = Axis::pipeline, .track = 0};
  Charge received = sent;
  received.track = 1;
  EXPECT_EQ(found[0], (Charges{{first, {10 * ms}}, {sent, {4 * ms}}, {second, {10 * ms}}}));
  EXPECT_EQ(found[1], (Charges{{first, {10 * ms}}, {received, {4 * ms}}, {second, {10 * ms}}}));
}

// 20 instead of 10 ms on stage 0 alone: it is slow beside stage 1, that runs the same operator.
TEST(Causes, ASlowStageAnswersForTheBubbleItMakes) {
  const Difference found = difference_of(two_stages(10), two_stages(20));
  EXPECT_EQ(found.causes[0].kind, CauseKind::rank);
  EXPECT_EQ(found.causes[0].rank, Rank{0});
  EXPECT_EQ(found.causes[0].charged.difference(), Duration{10 * ms});
  expect_in(text_of(two_stages(10), two_stages(20)), "\ncomputing of the other ranks ");
}

// Each waits for the other's message, which the clocks of a broken trace may show.
TEST(Charges, ACircleOfWaitingEndsUnexplained) {
  Timeline timeline = small_world(100);
  add_track(timeline, 0);
  add_track(timeline, 1);
  add_span(timeline, 0, On::receive, 0, 100, 100).flow = 0;
  add_span(timeline, 0, On::send, 100, 100, 100).flow = 1;
  add_span(timeline, 1, On::receive, 0, 100, 100).flow = 1;
  add_span(timeline, 1, On::send, 100, 100, 100).flow = 0;
  for (const Charges& each : charges(timeline)) {
    ASSERT_EQ(each.size(), 1u);
    EXPECT_EQ(each.begin()->first.deed, Deed::unexplained);
    EXPECT_EQ(each.begin()->second, Duration{100});
  }
}

}  // namespace
}  // namespace quintet
