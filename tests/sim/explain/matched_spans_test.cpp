#include "sim/explain/difference/matched_spans.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

Timeline one_rank() {
  Timeline timeline = small_world(100);
  add_track(timeline, 0);
  return timeline;
}

std::vector<SpanPair> matched(const Timeline& left, const Timeline& right) {
  return matched_spans(left, spans_by_track(left)[0], right, spans_by_track(right)[0]);
}

SpanKey key(On what, int layer, int micro_batch, int occurrence) {
  return {static_cast<std::int32_t>(what), layer, micro_batch, 0, -1, occurrence};
}

// Left runs micro-batch 1 before 0, right the other way round: that is no difference.
TEST(MatchedSpans, OrderOfDifferentWorkDoesNotMatter) {
  Timeline left = one_rank(), right = one_rank();
  add_span(left, 0, On::forward, 0, 1).micro_batch = 1;
  add_span(left, 0, On::forward, 1, 2).micro_batch = 0;
  add_span(right, 0, On::forward, 0, 1).micro_batch = 0;
  add_span(right, 0, On::forward, 1, 2).micro_batch = 1;
  EXPECT_EQ(matched(left, right), (std::vector<SpanPair>{{key(On::forward, -1, 0, 0), 1, 0},
                                                         {key(On::forward, -1, 1, 0), 0, 1}}));
}

// Three alike against two: the third has no counterpart. A layer that only one side has stays.
TEST(MatchedSpans, NoSpanIsDropped) {
  Timeline left = one_rank(), right = one_rank();
  for (int time = 0; time < 3; ++time) add_span(left, 0, On::update, time, time + 1);
  for (int time = 0; time < 2; ++time) add_span(right, 0, On::update, time, time + 1);
  add_span(right, 0, On::forward, 5, 6).layer = 3;
  EXPECT_EQ(matched(left, right),
            (std::vector<SpanPair>{{key(On::forward, 3, -1, 0), no_span, 2},
                                   {key(On::update, -1, -1, 0), 0, 0},
                                   {key(On::update, -1, -1, 1), 1, 1},
                                   {key(On::update, -1, -1, 2), 2, no_span}}));
}

}  // namespace
}  // namespace quintet
