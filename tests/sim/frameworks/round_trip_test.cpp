// Plans written in a framework's words and read again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/frameworks/framework.h"
#include "sim/plan/plan_difference.h"
#include "tests/sim/frameworks/sayable_plans.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

using Names = std::vector<std::string>;

// Read once: the machines have thousands of links.
const std::vector<PlanWorld>& worlds() {
  static const std::vector<PlanWorld> all = plan_worlds();
  return all;
}

Names fields_of(const std::vector<Unsaid>& unsaid) {
  Names names;
  for (const Unsaid& each : unsaid) names.push_back(each.field);
  return names;
}

// The text alone says the plan: nothing but the layers of a model that the file only names is
// given.
void expect_round_trips(const std::string& name, Plan (*sayable)(Plan), std::uint64_t seed) {
  const FrameworkRow& framework = *framework_of(name);
  Dice dice(seed);
  for (int number = 0; number < 300; ++number) {
    const PlanWorld& world = worlds()[static_cast<std::size_t>(number) % worlds().size()];
    const Plan plan = sayable(random_plan(dice, world));
    const ExportedPlan made = exported(framework, plan, world.model, world.topology);
    ASSERT_EQ(fields_of(made.unsaid), Names{}) << made.text;
    Result<ImportedPlan> again = imported(framework, made.text, "x", {{}, world.model.layers});
    ASSERT_TRUE(again.has_value()) << again.error().text() << "\n" << made.text;
    EXPECT_EQ(again->not_understood, std::vector<NotUnderstood>{}) << made.text;
    again->plan.name = plan.name;  // which a file's name says
    ASSERT_TRUE(again->plan == plan) << made.text;
  }
}

TEST(RoundTrip, MegatronSaysTheWholePlan) {
  expect_round_trips("megatron", sayable_for_megatron, 1);
}

TEST(RoundTrip, TorchtitanSaysTheWholePlan) {
  expect_round_trips("torchtitan", sayable_for_torchtitan, 2);
}

TEST(RoundTrip, DeepspeedSaysTheWholePlan) {
  expect_round_trips("deepspeed", sayable_for_deepspeed, 6);
}

TEST(RoundTrip, NemoSaysTheWholePlan) {
  expect_round_trips("nemo", sayable_for_nemo, 7);
}

// What random plans do not draw.
TEST(RoundTrip, MegatronAndNemoSayNumberTypesAndNcclsChoices) {
  const PlanWorld& world = worlds().front();
  Dice dice(4);
  const Plan plain = sayable_for_megatron(random_plan(dice, world));
  std::vector<Plan> plans;
  const auto with = [&](auto change) {
    plans.push_back(plain);
    plans.back().ccl = {.overlap_gradients = false};
    plans.back().ccl.overlap_parameters = plain.parallelism.sharding == Sharding::none;
    plans.back().parallelism.gradient_type = DataType::fp32;
    change(plans.back());
  };
  using enum Float8Scaling;
  for (const Float8Recipe& recipe :
       {Float8Recipe{delayed, 16, 2}, Float8Recipe{current}, Float8Recipe{block}})
    with([&](Plan& plan) {
      plan.parallelism.compute_type = DataType::fp8;
      plan.parallelism.float8 = recipe;
    });
  for (const DataType gradients : {DataType::fp16, DataType::fp32})
    with([&](Plan& plan) {
      plan.parallelism.compute_type = DataType::fp16;
      plan.parallelism.gradient_type = gradients;
      plan.parallelism.loss_scaling = true;
    });
  with([](Plan& plan) { plan.parallelism.compute_type = DataType::fp32; });
  with([](Plan& plan) { plan.parallelism.attention = AttentionChoice::unfused; });
  with([](Plan& plan) { plan.parallelism.optimizer = Optimizer::sgd; });
  with([](Plan& plan) { plan.parallelism.clipping = Clipping::none; });
  with([](Plan& plan) {
    plan.ccl.rules = {{.algorithm = Algorithm::ring, .protocol = Protocol::ll128, .channels = 8}};
  });
  with([](Plan& plan) {
    plan.ccl.rules = {{.kind = CollectiveKind::all_gather, .protocol = Protocol::simple}};
  });
  for (const Plan& plan : plans) {
    const ExportedPlan made =
        exported(*framework_of("megatron"), plan, world.model, world.topology);
    EXPECT_EQ(fields_of(made.unsaid), Names{}) << made.text;
    const ExportedPlan of_nemo = exported(*framework_of("nemo"), plan, world.model, world.topology);
    EXPECT_EQ(fields_of(of_nemo.unsaid), Names{}) << of_nemo.text;
  }
}

TEST(RoundTrip, DeepspeedSaysNumberTypesAndOptimizers) {
  const PlanWorld& world = worlds().front();
  Dice dice(8);
  Plan plain = sayable_for_deepspeed(random_plan(dice, world));
  plain.parallelism.tensor = plain.parallelism.pipeline = 1;
  plain.parallelism.data = 16;
  plain.parallelism.sharding = Sharding::gradients;
  plain.parallelism.sharding_group = 0;
  plain.parallelism.gradient_type = DataType::bf16;
  plain.ccl.overlap_parameters = false;
  plain.ccl.bucket = Bytes{100e6};
  std::vector<Plan> plans;
  const auto with = [&](auto change) { change(plans.emplace_back(plain).parallelism); };
  with([](Parallelism& parallelism) {
    parallelism.compute_type = DataType::fp16;
    parallelism.gradient_type = DataType::fp16;
    parallelism.loss_scaling = true;
  });
  with([](Parallelism& parallelism) {
    parallelism.compute_type = DataType::fp32;
    parallelism.gradient_type = DataType::fp32;
  });
  with([](Parallelism& parallelism) {
    parallelism.master_weights = false;
    parallelism.moment_type = DataType::bf16;
  });
  with([](Parallelism& parallelism) { parallelism.optimizer = Optimizer::lamb; });
  with([](Parallelism& parallelism) { parallelism.optimizer = Optimizer::sgd; });
  with([](Parallelism& parallelism) { parallelism.clipping = Clipping::none; });
  for (const Plan& plan : plans) {
    const ExportedPlan made =
        exported(*framework_of("deepspeed"), plan, world.model, world.topology);
    EXPECT_EQ(fields_of(made.unsaid), Names{}) << made.text;
  }
}

TEST(RoundTrip, RulesOfOneAxisAreNotSaid) {
  const PlanWorld& world = worlds().front();
  Dice dice(5);
  Plan plan = sayable_for_megatron(random_plan(dice, world));
  plan.ccl.rules = {{.axis = Axis::tensor, .algorithm = Algorithm::ring}};
  const ExportedPlan made = exported(*framework_of("megatron"), plan, world.model, world.topology);
  ASSERT_EQ(fields_of(made.unsaid), Names{"ccl.rules"});
  EXPECT_EQ(made.unsaid[0].said, "[]");
  EXPECT_EQ(made.unsaid[0].reason,
            "NCCL's variables hold for the whole process: no rule of one axis");
}

// Whatever a plan asks for, what is not said of it is listed, with a reason of its own.
TEST(RoundTrip, WhatIsNotSaidIsListed) {
  for (const FrameworkRow& framework : frameworks()) {
    Dice dice(3);
    std::size_t listed = 0;
    for (int number = 0; number < 50; ++number) {
      const PlanWorld& world = worlds()[static_cast<std::size_t>(number) % worlds().size()];
      const Plan plan = random_plan(dice, world);
      const ExportedPlan made = exported(framework, plan, world.model, world.topology);
      const Result<ImportedPlan> again =
          imported(framework, made.text, "x", {{}, world.model.layers});
      ASSERT_TRUE(again.has_value()) << again.error().text() << "\n" << made.text;
      Names different;
      for (const FieldDifference& each : differences(plan, again->plan))
        different.push_back(each.path);
      EXPECT_EQ(fields_of(made.unsaid), different);
      for (const Unsaid& each : made.unsaid)
        EXPECT_FALSE(each.reason.starts_with("it has no argument") ||
                     each.reason.starts_with("it has no key") ||
                     each.reason.starts_with("it has no field"))
            << framework.name << " " << each.field;
      listed += made.unsaid.size();
    }
    EXPECT_GT(listed, 100u) << framework.name;  // random plans ask for much
  }
}

// The shipped plan of 1,024 H100 in the words of Megatron-LM.
TEST(RoundTrip, AShippedPlanIsSaidInFull) {
  const Plan plan = shipped_plan("llama-3-70b-1024-h100-tp8-pp4");
  const ExportedPlan made = exported(*framework_of("megatron"), plan, shipped_model("llama-3-70b"),
                                     shipped_topology("dgx-h100-1024"));
  for (const char* const expected :
       {"--tensor-model-parallel-size 8", "--pipeline-model-parallel-size 4", "--num-layers 80",
        "--nnodes 128", "--nproc_per_node 8", "export CUDA_DEVICE_MAX_CONNECTIONS=1"})
    EXPECT_NE(made.text.find(expected), std::string::npos) << expected << "\n" << made.text;
}

// What is not said stands in the file too, where DeepSpeed passes over it.
TEST(RoundTrip, DeepspeedsFileKeepsTheListOfWhatItDoesNotSay) {
  const ExportedPlan made =
      exported(*framework_of("deepspeed"), shipped_plan("llama-3-70b-1024-h100-tp8-pp4"),
               shipped_model("llama-3-70b"), shipped_topology("dgx-h100-1024"));
  EXPECT_EQ(fields_of(made.unsaid), (Names{"parallelism.sequence_parallel", "ccl.overlap_gradients",
                                           "ccl.overlap_parameters", "ccl.bucket"}));
  for (const Unsaid& each : made.unsaid) {
    EXPECT_NE(made.text.find("\"field\": \"" + each.field + "\""), std::string::npos);
    EXPECT_NE(made.text.find("\"reason\": \"" + each.reason + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace quintet::test
