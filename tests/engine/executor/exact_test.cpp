// Where the order of sums is the same, so are the bits.
#include <gtest/gtest.h>

#include <functional>

#include "kernels/optimizer.h"
#include "tests/support/by_name.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 5;

Toy two_replicas(Model model) {
  Toy made = toy(std::move(model));
  made.plan.parallelism.data = 2;
  made.plan.parallelism.micro_batches = toy_sequences / 2;
  return made;
}

std::vector<double> losses(const Toy& toy) {
  const Curve curve = train(toy, steps);
  EXPECT_FALSE(curve.error) << curve.error->text();
  return curve.losses;
}

void expect_same_bits(const Toy& left, const Toy& right) {
  EXPECT_EQ(losses(left), losses(right));
}

// The clip factor of several stages comes from an fp32 sum: without clipping nothing depends on it.
Toy unclipped(Toy toy) {
  toy.plan.parallelism.clipping = Clipping::none;
  return toy;
}

class Exact : public testing::TestWithParam<Model> {};

TEST_P(Exact, StagesAddUpMicroBatchesInTheOrderOfOneRank) {
  // Tied: the head's and the embedding's sums meet in another order.
  Model model = GetParam();
  model.tied_embeddings = false;
  const Toy single = unclipped(toy(model));
  // First-in first-out schedules only: gradients of micro-batches are added in their order.
  for (const PipelineSchedule schedule : {PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe,
                                          PipelineSchedule::zb_h1, PipelineSchedule::zb_h2}) {
    Toy piped = single;
    piped.plan.parallelism.pipeline = 4;
    piped.plan.parallelism.schedule = schedule;
    expect_same_bits(single, piped);
  }
}

// GPT-2's 12 tensors a layer are more in 16 layers than an optimizer's list takes, and fewer in a
// stage of four.
TEST(ManyTensors, BeyondOneListAreUpdatedAndMeasuredToo) {
  Model model = toy_gpt2();
  model.tied_embeddings = false;
  model.layers = 16;
  static_assert(16 * 12 > kernels::List<kernels::ParameterStretch>::most);
  const Toy single = toy(model);
  Toy piped = single;
  piped.plan.parallelism.pipeline = 4;
  expect_same_bits(unclipped(single), unclipped(piped));
  const Curve one = train(single, steps), four = train(piped, steps);
  for (std::size_t step = 0; step < one.norms.size(); ++step)
    EXPECT_NEAR(one.norms[step] / four.norms[step], 1.0, 1e-6);
}

TEST_P(Exact, RecomputedActivationsAreThoseThatWereThrownAway) {
  const Toy kept = toy(GetParam());
  for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
    Toy again = kept;
    again.plan.parallelism.recompute = recompute;
    expect_same_bits(kept, again);
  }
}

TEST_P(Exact, SplitBackwardGivesTheGradientsOfTheWholeOne) {
  // Tied: the head adds to the table after the embedding has, instead of before.
  Model model = GetParam();
  model.tied_embeddings = false;
  Toy split = toy(model);
  split.plan.parallelism.split_backward = true;
  expect_same_bits(toy(model), split);
}

TEST_P(Exact, ShardedStateIsUpdatedLikeAWholeOne) {
  const Toy whole = unclipped(two_replicas(GetParam()));
  Toy sharded = whole;
  sharded.plan.parallelism.sharding = Sharding::optimizer;
  expect_same_bits(whole, sharded);
  sharded.plan.ccl.bucket = Bytes{7e3};  // layers in pieces of odd sizes
  expect_same_bits(whole, sharded);
  sharded.plan.ccl.overlap_parameters = false;
  expect_same_bits(whole, sharded);
}

// Per micro-batch the sum over ranks comes first in all of these.
TEST_P(Exact, WeightsPutTogetherForUseAreThoseKept) {
  Toy gradients = unclipped(two_replicas(GetParam()));
  gradients.plan.parallelism.sharding = Sharding::gradients;
  Toy parameters = gradients;
  parameters.plan.parallelism.sharding = Sharding::parameters;
  expect_same_bits(gradients, parameters);
}

TEST_P(Exact, BucketsAreSumsOfTheSameTerms) {
  const Toy one = two_replicas(GetParam());
  Toy many = one;
  many.plan.ccl.bucket = Bytes{9e3};
  expect_same_bits(one, many);
}

TEST_P(Exact, TheSameStepTwiceGivesTheSameBits) {
  Toy every = two_replicas(GetParam());
  every.plan.parallelism.tensor = 2;
  every.plan.parallelism.sequence_parallel = true;
  every.plan.parallelism.pipeline = 2;
  expect_same_bits(every, every);
}

INSTANTIATE_TEST_SUITE_P(Models, Exact, testing::Values(toy_gpt2(), toy_llama(), toy_bert()),
                         by_name);

}  // namespace
}  // namespace quintet::engine::test
