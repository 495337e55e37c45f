// LAMB, loss scaling and the learning rate.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/parameters/learning_rate.h"
#include "tests/support/toy_layout.h"

namespace quintet::engine::test {
namespace {

Toy lamb(Model model) {
  Toy made = toy(std::move(model));
  made.plan.parallelism.optimizer = Optimizer::lamb;
  made.optimizer.rule = UpdateRule::lamb;
  made.optimizer.learning_rate = 0.01F;
  return made;
}

Curve trained(const Toy& toy, int steps) {
  Curve curve = train(toy, steps);
  EXPECT_FALSE(curve.error) << curve.error->text();
  return curve;
}

// Trust ratios are of whole tensors, wherever their parts are.
TEST(Lamb, TrainsTheSingleRanksModelInEveryLayout) {
  using enum Sharding;
  const std::vector<Layout> splits{
      {.name = "dp2", .data = 2},
      {.name = "tp2", .tensor = 2},
      {.name = "tp4 padded", .tensor = 4, .vocabulary_multiple = 16},
      {.name = "tp2 sp", .tensor = 2, .sequence_parallel = true},
      {.name = "pp2", .pipeline = 2},
      {.name = "zero1 dp4 buckets", .data = 4, .sharding = Sharding::optimizer, .bucket = 7e3},
      {.name = "zero2 dp2", .data = 2, .sharding = gradients},
      {.name = "zero3 dp2", .data = 2, .sharding = parameters},
      {.name = "zero3 dp4 in groups of 2", .data = 4, .sharding = parameters, .sharding_group = 2},
      {.name = "tp2 pp2", .tensor = 2, .pipeline = 2},
      {.name = "tp2 sp pp2 dp2 zero1",
       .tensor = 2,
       .pipeline = 2,
       .data = 2,
       .sharding = Sharding::optimizer,
       .sequence_parallel = true,
       .bucket = 9e3},
  };
  for (const Model& model : {toy_gpt2(), toy_llama(), toy_bert()}) {
    const Curve single = trained(lamb(model), 10);
    EXPECT_LT(single.losses.back(), single.losses.front()) << model.name;
    for (const Layout& how : splits) {
      const Curve curve = trained(laid_out(lamb(model), how), 10);
      for (std::size_t step = 0; step < 10; ++step)
        EXPECT_NEAR(curve.losses[step] / single.losses[step], 1.0, 1e-5)
            << model.name << " " << how.name << " step " << step;
    }
  }
}

// Other than AdamW's: a test of the above could pass with ratios of 1.
TEST(Lamb, IsNotAdamw) {
  Toy adamw = toy(toy_gpt2());
  adamw.optimizer.learning_rate = 0.01F;
  EXPECT_NE(trained(lamb(toy_gpt2()), 3).losses.back(), trained(adamw, 3).losses.back());
}

Toy scaled(Model model, double initial) {
  Toy made = toy(std::move(model));
  made.optimizer.loss_scaling = {.initial = initial, .growth = 2};
  return made;
}

// Powers of two change no digit of an fp32 gradient, nor of its norm.
TEST(LossScaling, ByAPowerOfTwoChangesNothing) {
  for (const Layout& how :
       {Layout{.name = "one"}, Layout{.name = "tp2 pp2", .tensor = 2, .pipeline = 2},
        Layout{.name = "zero2", .data = 2, .sharding = Sharding::gradients}}) {
    const Curve plain = trained(laid_out(toy(toy_gpt2()), how), 5);
    const Curve with = trained(laid_out(scaled(toy_gpt2(), 1024), how), 5);
    EXPECT_EQ(plain.losses, with.losses) << how.name;
    EXPECT_EQ(plain.norms, with.norms) << how.name;
  }
}

// One rank's steps with loss scaling on.
struct Steps {
  std::vector<bool> updated;
  std::vector<double> scales;
  std::int64_t updates = 0;
};

std::vector<Steps> steps_of(const Toy& toy, int count) {
  const Program program = program_of(toy);
  LocalWorld world(program);
  std::vector<Steps> ranks(static_cast<std::size_t>(world_size(program.grid)));
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < ranks.size(); ++number)
    threads.emplace_back([&, number] {
      const Rank rank{static_cast<int>(number)};
      const auto kernels = kernels::reference_kernels();
      const auto executor = std::move(
          *RankExecutor::make(executor_input(toy, program, rank), *kernels, world.rank(rank)));
      const int replica = coordinate(program.grid, rank, Axis::data);
      for (int step = 0; step < count; ++step) {
        const auto report = executor->step(step_input(toy, step, replica));
        ASSERT_TRUE(report) << report.error().text();
        ranks[number].updated.push_back(report->updated);
        ranks[number].scales.push_back(report->loss_scale);
      }
      ranks[number].updates = executor->state().updates();
    });
  for (std::thread& thread : threads) thread.join();
  return ranks;
}

// Scaled by 2^66 squares of gradients overflow fp32; the norm tells every rank, also those whose
// own part has none. Halved until it fits, doubled after three good steps.
TEST(LossScaling, LeavesOutStepsThatOverflowOnAllRanks) {
  Toy toy = laid_out(scaled(toy_gpt2(), std::ldexp(1.0, 66)),
                     {.name = "tp2 pp2", .tensor = 2, .pipeline = 2});
  toy.optimizer.loss_scaling.growth_interval = 3;
  const std::vector<Steps> ranks = steps_of(toy, 14);
  for (const Steps& rank : ranks) {
    EXPECT_EQ(rank.updated, ranks.front().updated);
    EXPECT_EQ(rank.scales, ranks.front().scales);
    EXPECT_EQ(rank.updates, std::count(rank.updated.begin(), rank.updated.end(), true));
  }
  const Steps& first = ranks.front();
  EXPECT_FALSE(first.updated.front());
  EXPECT_GT(first.updates, 3);
  int good = 0;
  for (std::size_t step = 0; step + 1 < first.scales.size(); ++step) {
    good = first.updated[step] ? good + 1 : 0;
    const double factor = !first.updated[step] ? 0.5 : good == 3 ? 2.0 : 1.0;
    EXPECT_EQ(first.scales[step + 1], first.scales[step] * factor) << step;
    if (good == 3) good = 0;
  }
}

// The model does not move in a step that is left out: with a scale that never fits, the losses are
// those of a learning rate of 0.
TEST(LossScaling, AStepLeftOutLeavesTheModelAsItWas) {
  Toy never = scaled(toy_gpt2(), 1e300);
  Toy still = toy(toy_gpt2());
  still.optimizer.learning_rate = 0;
  EXPECT_EQ(trained(never, 3).losses, trained(still, 3).losses);
}

TEST(LossScaling, NeedsTheNormThatAllRanksKnow) {
  Toy made = scaled(toy_gpt2(), 2);
  made.plan.parallelism.clipping = Clipping::none;
  const Curve curve = train(made, 1);
  ASSERT_TRUE(curve.error);
  EXPECT_EQ(curve.error->text(),
            "plan: parallelism.loss_scaling: found false, but with clipping none nothing tells all "
            "ranks of an overflow: for a loss scale use true, or clipping after-reduction");
}

// ZeRO 2 and 3 keep shares of gradients: the buffers that backward adds to are gone after a step.
TEST(ShardedGradients, LeaveNoWholeOnesBehind) {
  for (const Sharding sharding : {Sharding::optimizer, Sharding::gradients, Sharding::parameters}) {
    const Toy toy =
        laid_out(engine::test::toy(toy_gpt2()), {.name = "dp2", .data = 2, .sharding = sharding});
    const Program program = program_of(toy);
    LocalWorld world(program);
    std::vector<std::thread> threads;
    for (const Rank rank : {Rank{0}, Rank{1}})
      threads.emplace_back([&, rank] {
        const auto kernels = kernels::reference_kernels();
        const auto executor = std::move(
            *RankExecutor::make(executor_input(toy, program, rank), *kernels, world.rank(rank)));
        ASSERT_TRUE(executor->step(step_input(toy, 0, rank.value)));
        int held = 0;
        const int sections = static_cast<int>(executor->layout().sections().size());
        for (int section = 0; section < sections; ++section)
          held += executor->weights().holds_gradients(section) ? 1 : 0;
        EXPECT_EQ(held, sharding == Sharding::optimizer ? sections : 0);
      });
    for (std::thread& thread : threads) thread.join();
  }
}

// Warm-up over 4 steps to 1, then a cosine to 0.1 at step 12: half way, at step 8, 0.55.
TEST(LearningRate, RisesLinearlyAndFallsAsACosine) {
  const LearningRate schedule{1.0, 4, 12, 0.1};
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 4), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 8), 0.55);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 12), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 100), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at({1.0, 4}, 100), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_at({2.0}, 1), 2.0);
}

}  // namespace
}  // namespace quintet::engine::test
