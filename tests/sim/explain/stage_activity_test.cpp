#include "sim/explain/stage_activity.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

// Intervals 10..20 and 30..40: 15..35 holds 5 + 5, 0..100 all 20, 20..30 none.
TEST(IntervalSet, MeasuresWhatLiesWithin) {
  IntervalSet set;
  set.append({{10}, {20}});
  set.append({{20}, {20}});
  set.append({{30}, {40}});
  EXPECT_EQ(set.within({{15}, {35}}), Duration{10});
  EXPECT_EQ(set.within({{0}, {100}}), Duration{20});
  EXPECT_EQ(set.within({{20}, {30}}), Duration{0});
  EXPECT_EQ(set.within({{12}, {13}}), Duration{1});
}

// Stage 0 works 0..10 (two ranks: 0..10 and 5..8), stage 1 works 8..20, stage 2 works 30..40.
//   others of stage 0: 8..20, 30..40 = 22     others of stage 1: 0..10, 30..40 = 20
//   others of stage 2: 0..20 = 20             of a stage that is not there: 0..20, 30..40 = 30
TEST(StageActivity, KnowsWhenOthersWork) {
  Timeline timeline = small_world(50);
  const std::int32_t one = add_track(timeline, 0);
  const std::int32_t twin = add_track(timeline, 0);
  const std::int32_t middle = add_track(timeline, 1);
  const std::int32_t last = add_track(timeline, 2);
  add_span(timeline, one, On::forward, 0, 10);
  add_span(timeline, twin, On::forward, 5, 8);
  add_span(timeline, middle, On::data_all_reduce, 0, 8, 20);
  add_span(timeline, last, On::copy, 30, 40);
  const StageActivity stages(timeline);
  EXPECT_TRUE(stages.is_pipeline());
  EXPECT_EQ(stages.of_others(0, {{0}, {50}}), Duration{22});
  EXPECT_EQ(stages.of_others(1, {{0}, {50}}), Duration{20});
  EXPECT_EQ(stages.of_others(2, {{0}, {50}}), Duration{20});
  EXPECT_EQ(stages.of_others(7, {{0}, {50}}), Duration{30});
  EXPECT_EQ(stages.of_others(0, {{0}, {9}}), Duration{1});
}

}  // namespace
}  // namespace quintet
