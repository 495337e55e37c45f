#include "sim/advice/worth.h"

#include <gtest/gtest.h>

#include "tests/sim/advice/hand_world.h"

namespace quintet::test {
namespace {

const LayerWorth& of(const PlanWorth& worth, Layer layer) {
  return *std::find_if(worth.layers.begin(), worth.layers.end(),
                       [&](const LayerWorth& each) { return each.layer == layer; });
}

// Buckets take 0.25 s off, spraying 0.125 s, both together 0.0625 s more; queue pairs nothing. All
// are sums of powers of two, so that they are exact.
double step_of_layers(const Plan& plan, const Machine&) {
  const bool buckets = plan.ccl.bucket > Bytes{}, sprays = plan.network.routing == Routing::spray;
  return 2 - (buckets ? 0.25 : 0) - (sprays ? 0.125 : 0) - (buckets && sprays ? 0.0625 : 0);
}

Plan chosen_plan() {
  Plan plan = eight_ranks(2);
  plan.ccl.bucket = Bytes{1e6};
  plan.network.routing = Routing::spray;
  plan.host_net.queue_pairs = 4;
  return plan;
}

TEST(Worth, OfALayerIsTheStepWithoutIt) {
  const PlanWorth worth =
      worth_of(chosen_plan(), eight_ranks(2), small_machine(), taking(step_of_layers), {});
  EXPECT_EQ(worth.usual.step, Seconds{2});
  EXPECT_EQ(worth.chosen.step, Seconds{1.5625});
  // Without buckets 2 - 0.125, alone 2 - 0.25; in one order they take 0.25 off, in the other
  // 0.3125.
  EXPECT_EQ(
      of(worth, Layer::ccl),
      (LayerWorth{Layer::ccl, true, {Seconds{1.75}, ""}, {Seconds{1.875}, ""}, Seconds{0.28125}}));
  EXPECT_EQ(
      of(worth, Layer::network),
      (LayerWorth{
          Layer::network, true, {Seconds{1.875}, ""}, {Seconds{1.75}, ""}, Seconds{0.15625}}));
  EXPECT_EQ(worth.layers.front().layer, Layer::ccl);
  EXPECT_EQ(worth.orders, 6);
  EXPECT_EQ(worth.possible_orders, 6);
}

TEST(Worth, OfADecisionWithoutEffectIsExactlyNothing) {
  const PlanWorth worth =
      worth_of(chosen_plan(), eight_ranks(2), small_machine(), taking(step_of_layers), {});
  const LayerWorth& layer = of(worth, Layer::host_net);
  EXPECT_TRUE(layer.differs);
  EXPECT_EQ(worth_when_undone(worth.chosen, layer.undone), Seconds{0});
  EXPECT_EQ(layer.share, Seconds{0});
  // And of those that decide as usual.
  EXPECT_FALSE(of(worth, Layer::parallelism).differs);
  EXPECT_EQ(of(worth, Layer::parallelism).share, Seconds{0});
}

TEST(Worth, SharesSumToTheWholeGain) {
  const PlanWorth worth =
      worth_of(chosen_plan(), eight_ranks(2), small_machine(), taking(step_of_layers), {});
  Seconds sum;
  for (const LayerWorth& each : worth.layers) sum += *each.share;
  EXPECT_EQ(sum, *worth.usual.step - *worth.chosen.step);
}

TEST(Worth, PathsGoThroughTheLayersBothWays) {
  const PlanWorth worth =
      worth_of(chosen_plan(), eight_ranks(2), small_machine(), taking(step_of_layers), {});
  const auto step = [](Layer layer, double seconds) {
    return PathStep{layer, {Seconds{seconds}, ""}};
  };
  EXPECT_EQ(worth.downwards, (std::vector{step(Layer::ccl, 1.75), step(Layer::host_net, 1.75),
                                          step(Layer::network, 1.5625)}));
  EXPECT_EQ(worth.upwards, (std::vector{step(Layer::network, 1.875), step(Layer::host_net, 1.875),
                                        step(Layer::ccl, 1.5625)}));
}

TEST(Worth, OfASingleFieldKeepsBatchAndRanks) {
  Plan seen;
  const Plan chosen = eight_ranks(4);
  const PlanWorth worth = worth_of(
      chosen, eight_ranks(2), small_machine(), taking([](const Plan& plan, const Machine&) {
        return 1.0 * plan.parallelism.micro_batches + 0.01 * plan.parallelism.data;
      }),
      {});
  // Data and micro-batches follow from the tensor degree: 8 / 2 = 4 replicas, 16 / 4 = 4 each.
  ASSERT_EQ(worth.decisions.size(), 1);
  EXPECT_EQ(worth.decisions[0],
            (DecisionWorth{"parallelism.tensor", "4", "2", {}, {Seconds{4.04}, ""}}));
}

TEST(Worth, UndoesTogetherWhatMeansNothingAlone) {
  Plan chosen = eight_ranks(2), usual = eight_ranks(2);
  for (Plan* const plan : {&chosen, &usual}) {
    plan->parallelism.data = 2;
    plan->parallelism.pipeline = 2;
  }
  chosen.parallelism.schedule = PipelineSchedule::interleaved;
  chosen.parallelism.virtual_stages = 2;
  const Evaluator evaluator = evaluating([](const Plan& plan, const Machine&) -> Result<Evaluated> {
    const bool interleaved = plan.parallelism.schedule == PipelineSchedule::interleaved;
    if (interleaved != (plan.parallelism.virtual_stages > 1))
      return Error{"parallelism.virtual_stages", "do not fit the schedule"};
    return taking(interleaved ? 1 : 1.5);
  });
  const PlanWorth worth = worth_of(chosen, usual, small_machine(), evaluator, {});
  const Outcome undone{Seconds{1.5}, ""};
  EXPECT_EQ(
      worth.decisions,
      (std::vector<DecisionWorth>{
          {"parallelism.schedule", "interleaved", "1f1b", {"parallelism.virtual_stages"}, undone},
          {"parallelism.virtual_stages", "2", "1", {"parallelism.schedule"}, undone}}));
}

TEST(Worth, SaysWhatCannotBeUndoneAndWhy) {
  Plan chosen = eight_ranks(2);
  chosen.parallelism.recompute = Recompute::full;
  chosen.network.routing = Routing::spray;
  // 90 of 80 bytes without recomputation.
  const Evaluator evaluator = evaluating([](const Plan& plan, const Machine&) -> Result<Evaluated> {
    Evaluated evaluated = taking(plan.network.routing == Routing::spray ? 1 : 1.25);
    evaluated.capacity = Bytes{80 * 0x1p30};
    evaluated.memory = Bytes{(plan.parallelism.recompute == Recompute::full ? 40 : 90) * 0x1p30};
    return evaluated;
  });
  const PlanWorth worth = worth_of(chosen, eight_ranks(2), small_machine(), evaluator, {});
  EXPECT_EQ(of(worth, Layer::parallelism).undone,
            (Outcome{std::nullopt, "needs 90.00 of 80.00 GiB"}));
  EXPECT_EQ(worth_when_undone(worth.chosen, of(worth, Layer::parallelism).undone), std::nullopt);
  // The usual plan cannot be run either: there is no way from it.
  EXPECT_EQ(worth.possible_orders, 0);
  EXPECT_EQ(of(worth, Layer::network).share, std::nullopt);
  EXPECT_EQ(worth.decisions.back().undone.why_not, "needs 90.00 of 80.00 GiB");
}

}  // namespace
}  // namespace quintet::test
