#include "engine/timeline/clock_line.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

Clock::time_point at(std::int64_t nanoseconds) {
  return Clock::time_point(Nanoseconds(nanoseconds));
}

// The second trip is the shortest: 100 .. 140 here while the other clock said 1,125. In the middle
// it was 120 here, so the other is 1,005 ahead, give or take 20.
TEST(ClockLine, TheShortestRoundTripDecides) {
  const std::vector<RoundTrip> trips{
      {at(0), at(90), at(1000)}, {at(100), at(140), at(1125)}, {at(200), at(260), at(1290)}};
  EXPECT_EQ(shortest(trips), (ClockSample{at(1125), Nanoseconds(1005), Nanoseconds(20)}));
}

// 100 .. 141: the middle is 120.5; a bound of 20 would not reach both ends from 121, 21 does.
TEST(ClockLine, TheBoundHoldsForOddRoundTrips) {
  const std::vector<RoundTrip> trips{{at(100), at(141), at(100)}};
  EXPECT_EQ(shortest(trips), (ClockSample{at(100), Nanoseconds(-21), Nanoseconds(21)}));
}

TEST(ClockLine, RanksWithoutASampleHaveRankZerosClock) {
  EXPECT_EQ(ClockLine().on_rank_0(at(77)), at(77));
  EXPECT_EQ(ClockLine().bound(), Nanoseconds(0));
}

// 100 ahead at 1,000 and 300 ahead at 3,000: the clock is fast by a tenth. At 2,500 it is
// 100 + 200 * 1,500 / 2,000 = 250 ahead.
TEST(ClockLine, DriftIsFollowedBetweenSamplesAndNotBeyondThem) {
  ClockLine line;
  line.add({at(1000), Nanoseconds(100), Nanoseconds(7)});
  line.add({at(3000), Nanoseconds(300), Nanoseconds(5)});
  EXPECT_EQ(line.on_rank_0(at(2500)), at(2250));
  EXPECT_EQ(line.on_rank_0(at(1000)), at(900));
  EXPECT_EQ(line.on_rank_0(at(3000)), at(2700));
  EXPECT_EQ(line.on_rank_0(at(500)), at(400));
  EXPECT_EQ(line.on_rank_0(at(4000)), at(3700));
  EXPECT_EQ(line.bound(), Nanoseconds(7));
}

}  // namespace
}  // namespace quintet::engine
