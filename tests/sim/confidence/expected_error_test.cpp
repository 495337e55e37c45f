#include "sim/confidence/expected_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quintet::test {
namespace {

// 19 rows have a 5 % quantile of their own, 18 have not.
PublishedResiduals published() {
  PublishedResiduals made;
  made.step_time = {{"NeMo", "H100", 28, -0.2, -0.05, 0.1}, {"NeMo", "B200", 7, -0.1, 0.0, 0.1},
                    {"NeMo", "", 35, -0.18, -0.04, 0.1},    {"", "H100", 60, -0.3, -0.1, 0.1},
                    {"", "B200", 18, -0.1, 0.0, 0.1},       {"", "", 200, -0.4, 0.0, 0.2}};
  made.widening = {1.5, 2, 3, 4};
  return made;
}

TEST(ExpectedError, OfItsSoftwareOnItsCardIsThatOfTheirRows) {
  const auto error = expected_error(published(), "NeMo", "H100");
  ASSERT_TRUE(error);
  // ln(predicted / real) from -0.2 to 0.1: real from e^-0.1 to e^0.2 times predicted.
  EXPECT_NEAR(error->low, std::exp(-0.1), 1e-12);
  EXPECT_NEAR(error->high, std::exp(0.2), 1e-12);
  EXPECT_EQ(error->rows, 28);
  EXPECT_EQ(error->widened, 1);
  EXPECT_EQ(error->rests_on, "28 published steps of NeMo on H100");
}

TEST(ExpectedError, OfTooFewRowsIsThatOfItsSoftwareOnAnyCardWidened) {
  const auto error = expected_error(published(), "NeMo", "B200");
  ASSERT_TRUE(error);
  // 1.5 times as far from the median -0.04: to -0.04 - 1.5 x 0.14 = -0.25, and to 0.17.
  EXPECT_NEAR(error->high, std::exp(0.25), 1e-12);
  EXPECT_NEAR(error->low, std::exp(-0.17), 1e-12);
  EXPECT_EQ(error->rests_on,
            "35 published steps of NeMo, only 7 on B200, so 1.5 times as wide as theirs");
}

TEST(ExpectedError, OfSoftwareThatNobodyRanIsThatOfItsCardWidened) {
  const auto error = expected_error(published(), "mine", "H100");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->widened, 2);
  EXPECT_EQ(error->rests_on,
            "60 published steps on H100, none of them of mine, so 2 times as wide as theirs");
}

TEST(ExpectedError, WithoutAStackSaysThatNoneWasNamed) {
  const auto error = expected_error(published(), "", "H100");
  ASSERT_TRUE(error);
  EXPECT_NE(error->rests_on.find("no --stack named"), std::string::npos) << error->rests_on;
}

TEST(ExpectedError, OfACardThatNobodyRanIsThatOfAllWidenedMost) {
  const auto error = expected_error(published(), "mine", "X100");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->rows, 200);
  EXPECT_EQ(error->widened, 3);
  EXPECT_NE(error->rests_on.find("none of them on X100"), std::string::npos) << error->rests_on;
}

TEST(ExpectedError, IsNotKnownWithoutAGpuOrWithoutResiduals) {
  EXPECT_FALSE(expected_error(published(), "NeMo", ""));
  EXPECT_FALSE(expected_error({}, "NeMo", "H100"));
}

}  // namespace
}  // namespace quintet::test
