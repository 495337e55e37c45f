// Clipping in its three places, and mixed precision.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 10;

Toy two_replicas_in_buckets(Clipping clipping, float maximum_norm) {
  Toy made = toy(toy_gpt2());
  made.plan.parallelism.data = 2;
  made.plan.parallelism.micro_batches = toy_sequences / 2;
  made.plan.ccl.bucket = Bytes{20e3};
  made.plan.parallelism.clipping = clipping;
  made.optimizer.maximum_norm = maximum_norm;
  return made;
}

std::vector<double> losses(const Toy& toy) {
  const Curve curve = train(toy, steps);
  EXPECT_FALSE(curve.error) << curve.error->text();
  return curve.losses;
}

// A threshold that no norm reaches leaves the gradient as it is, wherever it stands. Per bucket the
// micro-batches are scaled before they are added up: a rounding of 2^-24 for each element and
// micro-batch, of which 10 steps make no more than 2^-14.
TEST(ClippingPlace, DoesNotMatterWhereNothingIsClipped) {
  const std::vector<double> unclipped = losses(two_replicas_in_buckets(Clipping::none, 1e9F));
  for (const Clipping clipping : {Clipping::after_reduction, Clipping::before_reduction})
    EXPECT_EQ(losses(two_replicas_in_buckets(clipping, 1e9F)), unclipped);
  const std::vector<double> buckets = losses(two_replicas_in_buckets(Clipping::per_bucket, 1e9F));
  for (std::size_t step = 0; step < unclipped.size(); ++step)
    EXPECT_NEAR(buckets[step], unclipped[step], std::ldexp(unclipped[step], -14)) << step;
}

// A small threshold: each kind gives another update, so each is really done.
TEST(ClippingPlace, MattersWhereSomethingIsClipped) {
  std::vector<std::vector<double>> curves;
  for (const Clipping clipping : {Clipping::none, Clipping::after_reduction,
                                  Clipping::before_reduction, Clipping::per_bucket}) {
    Toy clipped = two_replicas_in_buckets(clipping, 0.05F);
    clipped.optimizer.rule = UpdateRule::sgd;  // AdamW hardly feels a factor
    clipped.plan.parallelism.optimizer = Optimizer::sgd;
    clipped.optimizer.learning_rate = 0.1F;
    curves.push_back(losses(clipped));
    for (std::size_t other = 0; other + 1 < curves.size(); ++other)
      EXPECT_NE(curves[other].back(), curves.back().back());
  }
  EXPECT_LT(curves[0].back(), curves[1].back());  // unclipped SGD learns fastest here
}

// bf16 has 8 bits: losses agree with fp32 to a percent while both fall.
TEST(MixedPrecision, FollowsFullPrecision) {
  for (const Model& model : {toy_gpt2(), toy_llama(), toy_bert()}) {
    const Toy full = toy(model);
    Toy mixed = full;
    mixed.plan.parallelism.compute_type = DataType::bf16;
    const std::vector<double> exact = losses(full), rounded = losses(mixed);
    for (std::size_t step = 0; step < exact.size(); ++step)
      EXPECT_NEAR(rounded[step] / exact[step], 1.0, 0.01) << model.name << " step " << step;
    EXPECT_NE(exact, rounded);
  }
}

TEST(MixedPrecision, ShardedWeightsAreCastAndGathered) {
  Toy whole = two_replicas_in_buckets(Clipping::none, 1.0F);
  whole.plan.parallelism.compute_type = DataType::bf16;
  Toy sharded = whole;
  sharded.plan.parallelism.sharding = Sharding::optimizer;
  EXPECT_EQ(losses(whole), losses(sharded));
}

TEST(MixedPrecision, GradientsMayTravelInHalfTheirSize) {
  Toy wide = two_replicas_in_buckets(Clipping::none, 1.0F);
  wide.plan.parallelism.compute_type = DataType::bf16;
  Toy narrow = wide;
  narrow.plan.parallelism.gradient_type = DataType::bf16;
  const std::vector<double> left = losses(wide), right = losses(narrow);
  for (std::size_t step = 0; step < left.size(); ++step)
    EXPECT_NEAR(right[step] / left[step], 1.0, 0.01) << step;
}

}  // namespace
}  // namespace quintet::engine::test
