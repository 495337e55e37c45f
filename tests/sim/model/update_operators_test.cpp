#include "sim/model/update_operators.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

Operator expected(Computation which, DataType type, double read, double written, int kernels) {
  return {which, Phase::update, type, MemoryShape{Bytes{read}, Bytes{written}}, kernels};
}

// Gradient, master and two moments in (16 B), master and moments out (12 B); then 4 in, 2 out.
// 100e6 elements / (320 x 65,536) = 4.77: five launches.
TEST(UpdateOperators, AdamReadsSixteenBytesAndWritesTwelve) {
  const std::vector<Operator> operators =
      update_operators({.rule = UpdateRule::adamw, .parameters = 100'000'000});
  const std::vector<Operator> wanted{
      expected(Computation::element_update, DataType::fp32, 16e8, 12e8, 5),
      expected(Computation::weight_cast, DataType::bf16, 4e8, 2e8, 5)};
  EXPECT_EQ(operators, wanted);
}

// In fp32 without a copy there is nothing to cast.
TEST(UpdateOperators, WithoutMasterWeightsNothingIsCast) {
  const UpdateWork work{.rule = UpdateRule::sgd,
                        .parameters = 1000,
                        .weights = DataType::fp32,
                        .master_weights = false};
  const std::vector<Operator> wanted{
      expected(Computation::element_update, DataType::fp32, 12'000, 8'000, 1)};
  EXPECT_EQ(update_operators(work), wanted);
}

// Stage 1 writes moments and the update, the norms read weight and update, stage 2 steps.
TEST(UpdateOperators, LambHasItsNormsBetweenTwoStages) {
  const std::vector<Operator> operators =
      update_operators({.rule = UpdateRule::lamb, .parameters = 1000});
  const std::vector<Operator> wanted{
      expected(Computation::lamb_direction, DataType::fp32, 16'000, 12'000, 1),
      expected(Computation::lamb_norms, DataType::fp32, 8'000, 0, 1),
      expected(Computation::lamb_step, DataType::fp32, 8'000, 4'000, 1),
      expected(Computation::weight_cast, DataType::bf16, 4'000, 2'000, 1)};
  EXPECT_EQ(operators, wanted);
}

TEST(UpdateOperators, GradientsAreNormedClippedAndAdded) {
  EXPECT_EQ(gradient_norm_operator(GradientScope::updated, 1000, DataType::fp32),
            expected(Computation::gradient_norm, DataType::fp32, 4'000, 0, 1));
  EXPECT_EQ(gradient_clip_operator(GradientScope::updated, 1000, DataType::fp16),
            expected(Computation::gradient_clip, DataType::fp16, 2'000, 2'000, 1));
  EXPECT_EQ(bucket_mean_operator(1000, DataType::fp32),
            expected(Computation::bucket_mean, DataType::fp32, 4'000, 4'000, 1));
  EXPECT_EQ(gradient_add_operator(1000, DataType::bf16, DataType::fp32),
            expected(Computation::gradient_add, DataType::fp32, 6'000, 4'000, 1));
}

}  // namespace
}  // namespace quintet
