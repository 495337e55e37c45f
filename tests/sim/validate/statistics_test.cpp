#include "sim/validate/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quintet {
namespace {

TEST(Statistics, ErrorsAreSummedUpByHand) {
  // Errors +10 %, -20 %, +50 %, 0: sizes sorted 0, 0.1, 0.2, 0.5.
  const ErrorSummary summary = error_summary({{1.1, 1}, {1.6, 2}, {6, 4}, {3, 3}});
  EXPECT_EQ(summary.count, 4);
  EXPECT_NEAR(summary.mean, 0.8 / 4, 1e-12);
  EXPECT_NEAR(summary.bias, 0.4 / 4, 1e-12);
  EXPECT_NEAR(summary.median, 0.15, 1e-12);
  EXPECT_NEAR(summary.p90, 0.5, 1e-12);  // 90 % of four rows are four rows
  EXPECT_NEAR(summary.largest, 0.5, 1e-12);
}

TEST(Statistics, NoPairsHaveNoErrors) {
  EXPECT_EQ(error_summary({}), ErrorSummary{});
}

TEST(Statistics, TauOfThreePairsOutOfOrder) {
  // Predicted 1 2 3, measured 1 3 2: (1,2) and (1,3) agree, (2,3) does not: (2 - 1) / 3.
  EXPECT_NEAR(kendall_tau({{1, 1}, {2, 3}, {3, 2}}).value(), 1.0 / 3, 1e-12);
}

TEST(Statistics, TauCountsTiesAsTauB) {
  // Predicted 1 1 2, measured 1 2 3: one tie in predicted, two pairs agree:
  // 2 / sqrt(2 untied in predicted x 3 in measured).
  EXPECT_NEAR(kendall_tau({{1, 1}, {1, 2}, {2, 3}}).value(), 2 / std::sqrt(6.0), 1e-12);
}

TEST(Statistics, TauIsUnknownWhenAllAreTied) {
  EXPECT_EQ(kendall_tau({{1, 1}, {1, 2}}), std::nullopt);
  EXPECT_EQ(kendall_tau({{1, 1}}), std::nullopt);
}

TEST(Statistics, TheShareOfRightVerdicts) {
  EXPECT_DOUBLE_EQ(share_right({.ran_and_fits = 5,
                                .ran_but_does_not_fit = 1,
                                .failed_and_does_not_fit = 3,
                                .failed_but_fits = 1}),
                   0.8);
  EXPECT_EQ(share_right({}), 0);
}

}  // namespace
}  // namespace quintet
