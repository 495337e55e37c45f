#include "sim/confidence/step_interval.h"

#include <gtest/gtest.h>

namespace quintet::test {
namespace {

using namespace literals;

const ExpectedError published{0.9, 1.3, 28, 1, "28 published steps"};

PredictedInterval of_parts(Seconds low, Seconds high, double known) {
  return {duration(low), duration(high), known, {}};
}

TEST(StepInterval, WithoutAnyErrorsIsNoneInPlaceOfOneWithoutWidth) {
  EXPECT_FALSE(step_interval(10_s, of_parts(10_s, 10_s, 0), {}, {}));
}

TEST(StepInterval, RestsOnPublishedStepsWhereTheTableKnowsNoErrors) {
  const auto interval = step_interval(10_s, of_parts(10_s, 10_s, 0), {}, published);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low.value, 9, 1e-12);
  EXPECT_NEAR(interval->high.value, 13, 1e-12);
  EXPECT_EQ(interval->rests_on, "28 published steps");
}

TEST(StepInterval, IsTheWiderOfBothOnEitherSide) {
  const auto interval = step_interval(10_s, of_parts(8_s, 11_s, 0.7), {}, published);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low.value, 8, 1e-9);
  EXPECT_NEAR(interval->high.value, 13, 1e-9);
  EXPECT_EQ(interval->rests_on,
            "28 published steps; and the cost table's own errors, known of 70 % of the step");
}

TEST(StepInterval, OfStepsRunHereIsTheirsAlone) {
  CostTable costs;
  costs.whole_steps.residuals = {-0.02, 0.03, 40};
  const auto interval = step_interval(10_s, of_parts(9.8_s, 10.3_s, 1), costs, published);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->high.value, 10.3, 1e-9);
  EXPECT_EQ(interval->rests_on, "40 steps run when the cost table was measured");
}

TEST(StepInterval, OfPartsAloneNeedsHalfOfTheStep) {
  EXPECT_FALSE(step_interval(10_s, of_parts(9.9_s, 10.1_s, 0.3), {}, {}));
  EXPECT_TRUE(step_interval(10_s, of_parts(9.9_s, 10.1_s, 0.6), {}, {}));
}

}  // namespace
}  // namespace quintet::test
