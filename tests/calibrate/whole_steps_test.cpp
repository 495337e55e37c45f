// Weighted quantiles by hand.
#include "calibrate/probes/whole_steps.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

// As many equally long steps as ratios.
std::vector<WholeStep> with_ratios(const std::vector<double>& ratios) {
  std::vector<WholeStep> steps;
  for (const double ratio : ratios)
    steps.push_back({1_s, 1_s / ratio, "form " + std::to_string(steps.size())});
  return steps;
}

// The i-th of nine stands at i / 10: 5 % lie below the first, 95 % above the last.
TEST(WholeSteps, EqualOnesStandAtTheirRanks) {
  const Residuals residuals =
      whole_step_residuals(with_ratios({1.4, 1.3, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6}));
  EXPECT_NEAR(residuals.p05, -0.4, 1e-12);
  EXPECT_NEAR(residuals.p95, 0.4, 1e-12);
  EXPECT_EQ(residuals.samples, 9);
}

// 1 ms at half of what was predicted, 1 s at 1.1 and 2 s at 1.2 times. The sum of weights is 3.001,
// of their squares 5.000001: 5 % of 3.001 + 1.666 is 0.233, and the first has 0.001, the second
// 1.001.
TEST(WholeSteps, LongOnesCountMore) {
  const std::vector<WholeStep> steps{{1_ms, 2_ms}, {1_s, 1_s / 1.1}, {2_s, 2_s / 1.2}};
  EXPECT_NEAR(whole_step_residuals(steps).p05, 0.1, 1e-12);
  EXPECT_NEAR(whole_step_residuals(steps).p95, 0.2, 1e-12);
}

// Nine: the median lies within 0.5 +- 0.274, from the third (3 / 10 is the first above 0.226) to
// the seventh. Ratios from 1.01 to 1.09 prove 1.03; those from 0.96 to 1.04 nothing; those from
// 0.91 to 0.99 prove 0.97.
TEST(WholeSteps, ProveNoMoreThanTheirNumberAllows) {
  const auto from = [](double least) {
    std::vector<double> ratios;
    for (int place = 0; place < 9; ++place) ratios.push_back(least + 0.01 * place);
    return with_ratios(ratios);
  };
  EXPECT_NEAR(proven_ratio(from(1.01)), 1.03, 1e-12);
  EXPECT_EQ(proven_ratio(from(0.96)), 1);
  EXPECT_NEAR(proven_ratio(from(0.91)), 0.97, 1e-12);
  EXPECT_EQ(proven_ratio(with_ratios({1.5, 0.9})), 1);
}

// Nine steps, but all of one form: 9 s measured of 9 * 0.5 s predicted; one thing alone proves what
// it is. With another form at 1 they prove nothing.
TEST(WholeSteps, OfOneFormProveNoMoreThanOne) {
  std::vector<WholeStep> steps(9, {1_s, 0.5_s, "tensor"});
  EXPECT_NEAR(proven_ratio(steps), 2, 1e-12);
  steps.push_back({9_s, 9_s, "data"});
  EXPECT_EQ(proven_ratio(steps), 1);
}

TEST(WholeSteps, AreOffInEitherDirection) {
  EXPECT_EQ(time_off({{5_ms, 3_ms}, {1_ms, 5_ms}, {2_ms, 2_ms}}), 6_ms);
  EXPECT_EQ(time_off({}), Seconds{});
}

TEST(WholeSteps, NoneTellNothing) {
  EXPECT_EQ(whole_step_residuals({}), Residuals{});
}

}  // namespace
}  // namespace quintet::calibrate
