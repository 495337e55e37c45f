#include "calibrate/fit/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/fit/fit_quality.h"
#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

TEST(Solve, SwapsRowsWhereItMustAndLeavesUnknownsThatNothingTellsAtZero) {
  // y = 3; x + 2 y = 7.
  EXPECT_EQ(solve({0, 1, 1, 2}, {3, 7}), (std::vector<double>{1, 3}));
  EXPECT_EQ(solve({2, 0, 0, 0}, {4, 0}), (std::vector<double>{2, 0}));
}

// 5 exp(-0.7 x), of which one in eight is ten times too long.
TEST(LeastSquares, FindsParametersInSpiteOfOutliers) {
  const ResidualsOf residuals = [](const std::vector<double>& p) {
    std::vector<double> all;
    for (int i = 0; i < 16; ++i) {
      const double real = std::log(5.0) - 0.7 * i + (i % 8 == 3 ? std::log(10.0) : 0);
      all.push_back(p[0] - std::exp(p[1]) * i - real);
    }
    return all;
  };
  const LeastSquaresFit fit = least_squares(residuals, {0, 0});
  EXPECT_NEAR(std::exp(fit.parameters[0]), 5, 0.15);
  EXPECT_NEAR(std::exp(fit.parameters[1]), 0.7, 0.01);
  EXPECT_EQ(least_squares_from_several(residuals, {0, 0}, 2).parameters,
            least_squares_from_several(residuals, {0, 0}, 2).parameters);
}

// Folds hold out indices 0, 4; 1, 5; 2; 3: the mean of the others predicts.
TEST(HeldOut, EveryFourthIsPredictedFromTheOthers) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const std::vector<double> predicted =
      held_out(values.size(), [&](const std::vector<std::size_t>& kept) -> Predictor {
        double sum = 0;
        for (const std::size_t i : kept) sum += values[i];
        return [mean = sum / static_cast<double>(kept.size())](std::size_t) { return mean; };
      });
  EXPECT_EQ(predicted,
            (std::vector<double>{15.0 / 4, 13.0 / 4, 18.0 / 5, 17.0 / 5, 15.0 / 4, 13.0 / 4}));
}

TEST(Quality, HasQuantilesOfTheHeldOut) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.75), 2.5);
  const FitQuality made = quality({1, 2}, {1.1, 2}, {0.5, 2.5});
  EXPECT_NEAR(made.median, 0.05, 1e-12);
  EXPECT_NEAR(made.held_median, 0.375, 1e-12);   // of 0.5 and 0.25
  EXPECT_NEAR(made.residuals.p05, -0.2, 1e-12);  // of -0.2 and 1: two tell no more
  EXPECT_NEAR(made.residuals.p95, 1, 1e-12);
  EXPECT_EQ(made.residuals.samples, 2);
}

}  // namespace
}  // namespace quintet::calibrate
