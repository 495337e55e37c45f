// Plans whose pieces are the same, and pipelines that stand for longer ones.
#include <gtest/gtest.h>

#include <vector>

#include "sim/analytic/analytic_model.h"
#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

struct World {
  Model model = shipped_model("llama-3-8b");
  Topology topology;
  CostTable costs = shipped_costs("h100-sxm-80gb");
};

World world_of(int hosts) {
  return {.topology = shipped_topology("dgx-h100", hosts)};
}

Plan pipeline(int stages, int data, int micro_batches) {
  Plan plan;
  plan.parallelism.pipeline = stages;
  plan.parallelism.data = data;
  plan.parallelism.micro_batches = micro_batches;
  plan.parallelism.sequence_length = 1024;
  return plan;
}

AnalyticStep alone(const World& world, const Plan& plan) {
  return required(AnalyticModel(world.model, world.topology, world.costs).step(plan));
}

// A group's links are loaded otherwise where bytes go over the host's memory, whoever asked first.
TEST(SharedPieces, KeepDeliveriesApart) {
  const World world = world_of(2);
  Plan direct = pipeline(1, 16, 2), staged = direct;
  staged.host_net.delivery = Delivery::staged;
  AnalyticModel model(world.model, world.topology, world.costs);
  const AnalyticStep first = required(model.step(direct)), second = required(model.step(staged));
  EXPECT_EQ(alone(world, direct), first);
  EXPECT_EQ(alone(world, staged), second);
  EXPECT_LT(first.step, second.step);
}

// Queue pairs do not matter where routes are pinned.
TEST(SharedPieces, GiveOneAnswerToDecisionsWithoutEffect) {
  const World world = world_of(2);
  const Plan one = pipeline(2, 8, 4);
  Plan four = one;
  four.host_net.queue_pairs = 4;
  AnalyticModel model(world.model, world.topology, world.costs);
  EXPECT_EQ(required(model.step(one)), required(model.step(four)));
}

// 24 stages are told by 8 and 7, interleaved ones by 16 and 8; where the micro-batches are not
// whole groups of 16 (24 of them), all are walked. Gradients that leave with every micro-batch set
// the pace of none but them.
TEST(SharedPieces, OfShortPipelinesTellLongOnes) {
  World world = world_of(6);
  world.model.layers = 48;
  for (const PipelineSchedule schedule :
       {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved})
    for (const Sharding sharding : {Sharding::none, Sharding::gradients})
      for (const int micro_batches : {24, 48}) {
        Plan plan = pipeline(24, 2, micro_batches);
        plan.parallelism.schedule = schedule;
        if (schedule == PipelineSchedule::interleaved) plan.parallelism.virtual_stages = 2;
        plan.parallelism.sharding = sharding;
        const Prediction walked = required(predict(world.model, plan, world.topology, world.costs));
        const double told = alone(world, plan).step / walked.summary.step;
        EXPECT_NEAR(1.0, told, 0.03)
            << name_of(schedule) << " " << name_of(sharding) << " " << micro_batches;
      }
}

}  // namespace
}  // namespace quintet::test
