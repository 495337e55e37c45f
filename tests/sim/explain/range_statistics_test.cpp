#include "sim/explain/range_statistics.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

// Forwards of 10, 20, 30 and 40: the range 5..1000 misses 5 of the first and none of the others.
//   mean 25; by nearest rank the median is the 2nd of 4 (20), the 95th percentile the 4th (40)
TEST(RangeStatistics, CountsMeansAndPercentiles) {
  Timeline timeline = small_world(1000);
  const std::int32_t track = add_track(timeline, 0, 8);
  add_span(timeline, track, On::forward, 0, 10);
  add_span(timeline, track, On::forward, 100, 120);
  add_span(timeline, track, On::forward, 200, 230);
  add_span(timeline, track, On::forward, 300, 340);
  const std::vector<RangeRow> rows = range_rows(timeline, {{5}, {1000}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0],
            (RangeRow{"compute, forward", 4, {95}, {25}, {20}, {40}, Bytes{}, Bandwidth{}}));
}

// An all-reduce of 4,096 bytes waits 0..100 and moves 100..300; of the range 50..200 it waits 50
// and moves 100, which is half of its moving: 2,048 bytes in 100 ps = 20.48 TB/s.
TEST(RangeStatistics, BytesGoWithWhatMovesInTheRange) {
  Timeline timeline = small_world(1000);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::tensor_all_reduce, 0, 100, 300);
  const std::vector<RangeRow> rows = range_rows(timeline, {{50}, {200}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].name, "tensor, collective");
  EXPECT_EQ(rows[0].inside, Duration{150});
  EXPECT_EQ(rows[0].mean, Duration{300});
  EXPECT_DOUBLE_EQ(rows[0].bytes.value, 2048);
  EXPECT_DOUBLE_EQ(rows[0].rate.value, 2048 / 100e-12);
}

TEST(RangeStatistics, WhatOnlyTouchesTheRangeIsNotInIt) {
  Timeline timeline = small_world(1000);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::forward, 0, 10);
  add_span(timeline, track, On::copy, 20, 30);
  EXPECT_TRUE(range_rows(timeline, {{10}, {20}}).empty());
}

// Against the sum over all spans, one by one.
TEST(RangeStatistics, OfTheWholeStepHoldsEverySpan) {
  const Timeline timeline = random_timeline(7, {4, 100, 10'000});
  std::int64_t count = 0, inside = 0;
  for (const RangeRow& row : range_rows(timeline, {{-10'000}, {20'000}})) {
    count += row.count;
    inside += row.inside.picoseconds;
  }
  std::int64_t expected = 0;
  for (const Span& span : timeline.spans) expected += (span.end - span.start).picoseconds;
  EXPECT_EQ(count, 400);
  EXPECT_EQ(inside, expected);
}

}  // namespace
}  // namespace quintet
