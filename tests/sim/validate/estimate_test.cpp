#include "sim/validate/fit/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/validate/fit/grid_search.h"

namespace quintet {
namespace {

TEST(GridSearch, FindsTheLeastOfAKinkedFunction) {
  // |x - 13| + 2 |y - 40| is least, 0, at (13, 40); its kink has no derivative.
  const auto kinked = [](const GridPoint& at) {
    return std::abs(at[0] - 13) + 2.0 * std::abs(at[1] - 40);
  };
  EXPECT_EQ(least_on_grid({65, 65}, {60, 0}, kinked), (GridMinimum{{13, 40}, 0}));
  EXPECT_EQ(least_on_grid({65, 65}, {10, 44}, kinked, FirstRound::nearby),
            (GridMinimum{{13, 40}, 0}));
}

TEST(GridSearch, LooksBeyondAHillInTheFirstRound) {
  // Two valleys: 1 at 5, 0 at 50, with a hill between them; 48, an eighth of the grid, is at 0.4.
  const auto valleys = [](const GridPoint& at) {
    return std::min(std::abs(at[0] - 5) + 1.0, std::abs(at[0] - 50) * 0.2);
  };
  EXPECT_EQ(least_on_grid({65}, {5}, valleys), (GridMinimum{{50}, 0}));
}

TEST(GridSearch, KeepsItsStartWhereNothingIsLess) {
  const auto flat = [](const GridPoint&) { return 1.0; };
  EXPECT_EQ(least_on_grid({65, 2}, {31, 1}, flat), (GridMinimum{{31, 1}, 1}));
}

// Rows of three groups want 20, 30 and 40; each costs its distance. All together: the median, 30.
// Without the first, anything from 30 to 40 is least (the first found is kept: 30); without the
// last, 20 to 30.
TEST(Estimate, LeavesEachGroupOutOnce) {
  const std::vector<int> wanted{20, 20, 30, 30, 40, 40};
  const auto losses = [&](const GridPoint& at) {
    std::vector<double> all;
    for (const int want : wanted) all.push_back(std::abs(at[0] - want));
    return all;
  };
  const Estimates made = estimate({65}, {0}, {0, 0, 1, 1, 2, 2}, 3, losses, 200);
  EXPECT_EQ(made.all, GridPoint{30});
  ASSERT_EQ(made.without.size(), 3u);
  EXPECT_GE(made.without[0][0], 30);
  EXPECT_LE(made.without[0][0], 40);
  EXPECT_GE(made.without[1][0], 20);
  EXPECT_LE(made.without[2][0], 30);
  // 7 of 27 resamplings draw the first group twice or more and want 20, as many 40; they get the
  // nearest point that was visited, which every eighth of the grid is.
  const PositionSpread spread = ninety_percent(made.resampled, 0);
  EXPECT_LE(spread.low, 24);
  EXPECT_GE(spread.high, 36);
  EXPECT_EQ(estimate({65}, {0}, {0, 0, 1, 1, 2, 2}, 3, losses, 200).resampled, made.resampled);
}

TEST(Estimate, SpreadLeavesFivePercentOutOnEitherSide) {
  // 0 to 39: 2 of 40 lie below 2, 2 above 37.
  std::vector<GridPoint> points;
  for (int i = 0; i < 40; ++i) points.push_back({39 - i});
  EXPECT_EQ(ninety_percent(points, 0), (PositionSpread{2, 37}));
}

}  // namespace
}  // namespace quintet
