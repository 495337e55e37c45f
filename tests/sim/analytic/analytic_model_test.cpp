// Random plans by the analytic fidelity beside the walk.
#include "sim/analytic/analytic_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "sim/simulate/predict.h"
#include "tests/support/random_plans.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

constexpr int plans_per_world = 25;
constexpr std::uint64_t seed = 18;

// Small enough to be walked in milliseconds.
std::vector<PlanWorld> small_worlds() {
  std::vector<PlanWorld> worlds;
  worlds.push_back({"gpt2", shipped_model("gpt2"), shipped_topology("dgx-h100", 1),
                    shipped_costs("h100-sxm-80gb")});
  worlds.push_back({"llama-3-8b", shipped_model("llama-3-8b"), shipped_topology("dgx-h100", 2),
                    shipped_costs("h100-sxm-80gb")});
  worlds.push_back({"mistral-7b", shipped_model("mistral-7b"), shipped_topology("leonardo-a100", 4),
                    shipped_costs("a100-sxm-80gb")});
  worlds.push_back({"korthikanti-22b", shipped_model("korthikanti-22b"),
                    shipped_topology("selene-a100", 2), shipped_costs("a100-sxm-80gb")});
  worlds.push_back({"olmo-2-1b", shipped_model("olmo-2-1b"), shipped_topology("hgx-h200", 2),
                    shipped_costs("h200-sxm-141gb")});
  worlds.push_back({"bert-large", shipped_model("bert-large"), shipped_topology("vela-a100", 2),
                    shipped_costs("a100-sxm-80gb")});
  for (PlanWorld& world : worlds) world.model.layers = std::min(world.model.layers, 16);
  return worlds;
}

// Of few micro-batches, for the walk's sake; with more than are walked one by one, too.
Plan short_plan(Dice& dice, const PlanWorld& world) {
  while (true) {
    Plan plan = random_plan(dice, world);
    if (plan.parallelism.micro_batches <= 16 || dice.below(8) == 0) return plan;
  }
}

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

TEST(AnalyticModel, IsNearTheWalkAndItsBoundBelowBoth) {
  Dice dice(seed);
  std::vector<double> errors;
  for (const PlanWorld& world : small_worlds()) {
    AnalyticModel model(world.model, world.topology, world.costs);
    for (int number = 0; number < plans_per_world; ++number) {
      const Plan plan = short_plan(dice, world);
      const AnalyticStep step = required(model.step(plan));
      const Prediction walked = required(predict(world.model, plan, world.topology, world.costs));
      const Seconds truth = seconds(walked.timeline.end);
      errors.push_back(std::abs(step.step / truth - 1));
      const Seconds bound = model.bound(plan);
      // The walk rounds every duration to a picosecond.
      EXPECT_LE(bound.value, truth.value * (1 + 1e-9)) << world.name;
      EXPECT_LE(bound.value, step.step.value) << world.name;
      EXPECT_GT(bound.value, 0.0) << world.name;
      EXPECT_DOUBLE_EQ(step.memory.value, total(*fullest(walked.memory)).value) << world.name;
      EXPECT_EQ(step.capacity, walked.memory.capacity);
      EXPECT_EQ(step.fits, verdict(walked.memory) == MemoryVerdict::fits) << world.name;
      EXPECT_EQ(model.memory(plan), (AnalyticMemory{step.memory, step.capacity, step.fits}));
      Seconds sum = step.compute + step.bubble + step.other;
      for (const Seconds axis : step.exposed) sum += axis;
      EXPECT_DOUBLE_EQ(sum.value, step.step.value);
    }
  }
  // The bars.
  const double median = at(errors, 0.5), p95 = at(errors, 0.95);
  std::cout << "analytic beside fluid, " << errors.size() << " plans: median " << 100 * median
            << " %, p95 " << 100 * p95 << " %\n";
  EXPECT_LE(median, 0.03);
  EXPECT_LE(p95, 0.10);
}

// A micro-batch of 80 layers is more than 1,024 launches, which wait for the sum before them.
TEST(AnalyticModel, LetsKernelsWaitForLaunchesThatTheCpuMayNotRunAheadOf) {
  PlanWorld world = small_worlds()[1];
  world.model.layers = 80;
  Plan plan;
  plan.parallelism.data = 16;
  plan.parallelism.sharding = Sharding::gradients;
  plan.parallelism.micro_batches = 4;
  plan.parallelism.micro_batch = 1;
  plan.parallelism.sequence_length = 512;
  plan.ccl.bucket = Bytes{0};
  AnalyticModel model(world.model, world.topology, world.costs);
  const AnalyticStep step = required(model.step(plan));
  const Prediction walked = required(predict(world.model, plan, world.topology, world.costs));
  EXPECT_NEAR(step.step / seconds(walked.timeline.end), 1.0, 0.05);
}

TEST(AnalyticModel, AnswersTheSameWhateverWasAskedBefore) {
  Dice dice(seed);
  const PlanWorld world = small_worlds()[1];
  std::vector<Plan> plans;
  for (int number = 0; number < 40; ++number) plans.push_back(random_plan(dice, world));
  AnalyticModel forwards(world.model, world.topology, world.costs);
  AnalyticModel backwards(world.model, world.topology, world.costs);
  std::vector<AnalyticStep> answers;
  for (const Plan& plan : plans) answers.push_back(required(forwards.step(plan)));
  for (std::size_t number = plans.size(); number-- > 0;)
    EXPECT_EQ(required(backwards.step(plans[number])), answers[number]);
}

// What has no pieces is named, and bounded all the same: by nothing, which no step is below.
TEST(AnalyticModel, NamesTheFieldThatOnlyTheWalkPrices) {
  Dice dice(seed);
  const PlanWorld world = small_worlds()[1];
  AnalyticModel model(world.model, world.topology, world.costs);
  Plan plan = random_plan(dice, world);
  plan.parallelism.offload.optimizer = 0.5;
  const Result<AnalyticStep> step = model.step(plan);
  ASSERT_FALSE(step.has_value());
  EXPECT_EQ(step.error().where, "parallelism.offload");
  EXPECT_GE(model.bound(plan).value, 0.0);
}

}  // namespace
}  // namespace quintet::test
