// Jobs turned against one another on a circle, by hand.
#include "sim/jobs/circle.h"

#include <gtest/gtest.h>

#include <numeric>

namespace quintet {
namespace {

Circle one_spot(int bins, std::vector<CircleJob> jobs) {
  return {bins, {1.0}, std::move(jobs)};
}

// Arcs on the first half of each circle: 2 wanted of 1 for half of 4 bins; turned by 2, 1
// everywhere.
TEST(Circle, TurnsTwoHalvesBesideEachOther) {
  const Circle circle = one_spot(4, {{1, {{1, 1, 0, 0}}}, {1, {{1, 1, 0, 0}}}});
  EXPECT_EQ(excess(circle, {0, 0}), 2.0);
  EXPECT_EQ(excess(circle, {0, 2}), 0.0);
  const Rotation found = best_rotation(circle, 1, 0);
  EXPECT_EQ(found.excess, 0.0);
  EXPECT_EQ((found.bins[1] - found.bins[0] + 4) % 4, 2);
}

// Three quarters and a half are one and a quarter: a quarter of 8 bins is left over, however
// turned.
TEST(Circle, FindsTheLeastWhereThereIsNoRoom) {
  const Circle circle =
      one_spot(8, {{1, {{1, 1, 1, 1, 1, 1, 0, 0}}}, {1, {{1, 1, 1, 1, 0, 0, 0, 0}}}});
  EXPECT_EQ(best_rotation(circle, 1, 4).excess, 2.0);
}

// Two short steps to a long one: arcs of one of three bins, twice, beside one of six that is busy
// for two bins which lie as far apart as the short ones' gaps allow.
TEST(Circle, RepeatsShortSteps) {
  const Circle circle = one_spot(6, {{1, {{1, 1, 0, 0, 0, 0}}}, {2, {{1, 0, 0}}}});
  EXPECT_EQ(excess(circle, {0, 0}), 1.0);
  EXPECT_EQ(best_rotation(circle, 1, 0).excess, 0.0);
}

// Jobs 0 and 1 meet on the first link, 1 and 2 on the second: all three are turned together.
TEST(Circle, TurnsForAllLinksAtOnce) {
  const LinkPattern half{1, 1, 0, 0};
  const Circle circle{4, {1.0, 3.0}, {{1, {half, {}}}, {1, {half, half}}, {1, {{}, half}}}};
  EXPECT_EQ(excess(circle, {0, 0, 0}), 2.0 + 3 * 2.0);
  EXPECT_EQ(best_rotation(circle, 1, 0).excess, 0.0);
}

// 30 and 20: two and three steps fill 60 exactly.
TEST(CommonCircle, FindsTheLeastCommonMultiple) {
  const CommonCircle common = common_circle({{30}, {20}}, 8);
  EXPECT_EQ(common.turns, (std::vector<int>{2, 3}));
  EXPECT_EQ(common.length, Seconds{60});
  EXPECT_NEAR(common.drawn_out, 0, 1e-12);
}

// 100 and 97: one each, the second drawn out by 3/97.
TEST(CommonCircle, DrawsStepsOutThatAreNearlyAlike) {
  const CommonCircle common = common_circle({{100}, {97}}, 8);
  EXPECT_EQ(common.turns, (std::vector<int>{1, 1}));
  EXPECT_NEAR(common.drawn_out, 3.0 / 97.0, 1e-12);
}

}  // namespace
}  // namespace quintet
