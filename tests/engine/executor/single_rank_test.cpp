// One rank: the loss falls, and gradients are those of the loss.
#include <gtest/gtest.h>

#include "tests/support/by_name.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

class SingleRank : public testing::TestWithParam<Model> {};

TEST_P(SingleRank, LearnsArithmeticProgressions) {
  const Curve curve = train(toy(GetParam()), 60);
  ASSERT_FALSE(curve.error) << curve.error->text();
  // Random weights know nothing: close to log(61) = 4.11.
  EXPECT_NEAR(curve.losses.front(), 4.11, 0.3);
  EXPECT_LT(curve.losses.back(), 0.75 * curve.losses.front());
}

INSTANTIATE_TEST_SUITE_P(Models, SingleRank, testing::Values(toy_gpt2(), toy_llama(), toy_bert()),
                         by_name);

}  // namespace
}  // namespace quintet::engine::test
