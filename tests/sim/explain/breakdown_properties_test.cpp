#include <gtest/gtest.h>

#include "sim/explain/breakdown.h"
#include "tests/support/timelines.h"

namespace quintet {
namespace {

class RandomTimelines : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomTimelines, PartsSumToTheStepAndHiddenIsNeverNegative) {
  const Timeline timeline = random_timeline(GetParam(), {});
  std::vector<RankBreakdown> ranks = breakdowns(timeline);
  ASSERT_EQ(ranks.size(), timeline.tracks.size());
  ranks.push_back(mean(ranks));
  for (const RankBreakdown& rank : ranks) {
    EXPECT_EQ(rank.step, Duration{1000});
    EXPECT_EQ(sum(rank), rank.step);
    Duration operators;
    for (const OperatorTime& time : rank.operators) operators += time.time;
    EXPECT_EQ(operators, rank.compute);
    for (std::size_t axis = 0; axis < axis_count; ++axis)
      EXPECT_GE(rank.total_communication[axis], rank.exposed[axis]);
    EXPECT_GE(rank.idle, Duration{0});
    EXPECT_GE(rank.bubble, Duration{0});
  }
}

// Shares of spans are the breakdown by another key: those of compute sum to compute; without gaps,
// drain and idle time, all sum to the step.
TEST_P(RandomTimelines, SharesOfSpansSumToTheRowsTheyMake) {
  Timeline timeline = random_timeline(GetParam(), {});
  timeline.host_gaps.clear();
  const std::vector<SpanShare> shares = span_shares(timeline);
  ASSERT_EQ(shares.size(), timeline.spans.size());
  std::vector<Duration> compute(timeline.tracks.size()), waiting(compute), all(compute);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto track = static_cast<std::size_t>(timeline.spans[i].track);
    const auto info = static_cast<std::size_t>(timeline.spans[i].info);
    if (timeline.infos[info].kind == SpanKind::compute) compute[track] += shares[i].active;
    if (timeline.infos[info].axis != Axis::pipeline) waiting[track] += shares[i].waiting;
    all[track] += shares[i].active + shares[i].waiting;
  }
  const std::vector<RankBreakdown> ranks = breakdowns(timeline);
  for (std::size_t track = 0; track < ranks.size(); ++track) {
    EXPECT_EQ(compute[track], ranks[track].compute);
    EXPECT_LE(waiting[track], ranks[track].waiting);  // sends along the pipeline wait, too
    EXPECT_LE(all[track], ranks[track].step - ranks[track].idle);
    EXPECT_GE(all[track], ranks[track].step - ranks[track].idle - ranks[track].bubble);
  }
}

// The rules of breakdown.h once more, picosecond by picosecond.
bool runs(Instant from, Instant now, Instant to) {
  return from <= now && now < to;
}

enum class State { compute, gap, moving, waiting, starved, sending, copy, host, nothing };

State state_at(const Timeline& timeline, std::int32_t track, Instant now) {
  State best = State::nothing;
  const auto propose = [&best](State state) { best = std::min(best, state); };
  for (const HostGap& gap : timeline.host_gaps)
    if (gap.track == track && runs(gap.start, now, gap.end)) propose(State::gap);
  for (const Span& span : timeline.spans) {
    if (span.track != track || !runs(span.start, now, span.end)) continue;
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    if (info.kind == SpanKind::compute) propose(State::compute);
    if (info.kind == SpanKind::copy) propose(State::copy);
    if (info.kind == SpanKind::host) propose(State::host);
    if (!is_communication(info.kind)) continue;
    if (now >= span.moving)
      propose(info.kind == SpanKind::send ? State::sending : State::moving);
    else if (info.kind != SpanKind::send && info.axis == Axis::pipeline)
      propose(State::starved);
    else
      propose(State::waiting);
  }
  return best;
}

bool works(const Timeline& timeline, const Span& span, Instant now) {
  const SpanKind kind = timeline.infos[static_cast<std::size_t>(span.info)].kind;
  return runs(is_communication(kind) ? span.moving : span.start, now, span.end);
}

bool is_drained(const Timeline& timeline, std::int32_t track, Instant now) {
  const auto stage_of = [&timeline](std::int32_t of) {
    return timeline.tracks[static_cast<std::size_t>(of)].stage;
  };
  bool before = true;
  bool after = true;
  bool others = false;
  for (const Span& span : timeline.spans) {
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    others |= stage_of(span.track) != stage_of(track) && works(timeline, span, now);
    if (span.track != track || info.kind != SpanKind::compute || info.phase == Phase::update)
      continue;
    before &= now < span.start;
    after &= now >= span.end;
  }
  return others && (before || after);
}

TEST_P(RandomTimelines, AgreeWithTheRulesAppliedToEveryPicosecond) {
  const Timeline timeline =
      random_timeline(GetParam(), {.tracks = 3, .spans_per_track = 12, .end = 400});
  const std::vector<RankBreakdown> ranks = breakdowns(timeline);
  for (std::int32_t track = 0; track < 3; ++track) {
    RankBreakdown expected;
    Duration exposed;
    for (Instant now{0}; now < timeline.end; now = now + Duration{1}) {
      const auto add = [](Duration& row) { row += Duration{1}; };
      switch (state_at(timeline, track, now)) {
        case State::compute:
          add(expected.compute);
          break;
        case State::moving:
        case State::sending:
          add(exposed);
          break;
        case State::starved:
          add(expected.bubble);
          break;
        case State::waiting:
          add(expected.waiting);
          break;
        case State::copy:
          add(expected.copy);
          break;
        case State::gap:
        case State::host:
          add(expected.host);
          break;
        case State::nothing:
          add(is_drained(timeline, track, now) ? expected.bubble : expected.idle);
          break;
      }
    }
    const RankBreakdown& found = ranks[static_cast<std::size_t>(track)];
    Duration found_exposed;
    for (const Duration time : found.exposed) found_exposed += time;
    EXPECT_EQ(found.compute, expected.compute);
    EXPECT_EQ(found_exposed, exposed);
    EXPECT_EQ(found.bubble, expected.bubble);
    EXPECT_EQ(found.waiting, expected.waiting);
    EXPECT_EQ(found.copy, expected.copy);
    EXPECT_EQ(found.host, expected.host);
    EXPECT_EQ(found.idle, expected.idle);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTimelines, testing::Range(1u, 41u),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace quintet
