// Weighted quantiles by hand.
#include "calibrate/whole_steps.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

// Nine equally long steps at 0.6, 0.7 ... 1.4 times what was predicted: the i-th stands at i / 10.
// The median is the fifth; 5 % lie below the first, 95 % above the last.
TEST(WholeSteps, EqualOnesStandAtTheirRanks) {
  std::vector<WholeStep> steps;
  for (int tenths = 14; tenths >= 6; --tenths) steps.push_back({1_s, 1_s / (0.1 * tenths)});
  EXPECT_NEAR(median_ratio(steps), 1.0, 1e-12);
  const Residuals residuals = whole_step_residuals(steps);
  EXPECT_NEAR(residuals.p05, -0.4, 1e-12);
  EXPECT_NEAR(residuals.p95, 0.4, 1e-12);
  EXPECT_EQ(residuals.samples, 9);
}

// 1 ms at half of what was predicted, 1 s at 1.1 and 2 s at 1.2 times. The sum of weights is 3.001,
// of their squares 5.000001: half of 3.001 + 1.666 is 2.334, which the third is the first to reach
// from below (3.001) and the second from above (3). 5 % is 0.233: the first has 0.001, the second
// 1.001.
TEST(WholeSteps, LongOnesCountMore) {
  const std::vector<WholeStep> steps{{1_ms, 2_ms}, {1_s, 1_s / 1.1}, {2_s, 2_s / 1.2}};
  EXPECT_NEAR(median_ratio(steps), 1.15, 1e-12);
  EXPECT_NEAR(whole_step_residuals(steps).p05, 0.1, 1e-12);
  EXPECT_NEAR(whole_step_residuals(steps).p95, 0.2, 1e-12);
}

TEST(WholeSteps, NoneTellNothing) {
  EXPECT_EQ(whole_step_residuals({}), Residuals{});
}

}  // namespace
}  // namespace quintet::calibrate
