#include "tests/sim/frameworks/sayable_plans.h"

namespace quintet::test {
namespace {

void make_usual(Parallelism& parallelism) {
  using enum PipelineSchedule;
  if (parallelism.schedule == zb_h1 || parallelism.schedule == zb_h2)
    parallelism.schedule = one_f_one_b;
  parallelism.clipping = Clipping::after_reduction;
  parallelism.loss_scaling = false;
}

}  // namespace

Plan sayable_for_megatron(Plan plan) {
  Parallelism& parallelism = plan.parallelism;
  make_usual(parallelism);
  if (parallelism.schedule == PipelineSchedule::gpipe)
    parallelism.schedule = PipelineSchedule::one_f_one_b;
  if (parallelism.virtual_stages > 1) parallelism.recompute_layers = 0;
  if (parallelism.recompute != Recompute::none) plan.host_net.launch = Launch::eager;
  plan.ccl.tuner = {};
  plan.ccl.overlap_parameters = parallelism.sharding == Sharding::none ||
                                (plan.ccl.overlap_parameters && plan.ccl.overlap_gradients);
  if (!plan.ccl.overlap_gradients || parallelism.sharding == Sharding::gradients ||
      parallelism.sharding == Sharding::parameters)
    plan.ccl.bucket = {};
  for (CollectiveRule& rule : plan.ccl.rules) rule.axis = {};
  plan.intra_inter.decompositions.clear();
  plan.network = {};
  return plan;
}

Plan sayable_for_torchtitan(Plan plan) {
  Parallelism& parallelism = plan.parallelism;
  make_usual(parallelism);
  const bool alone = parallelism.tensor == 1 && parallelism.pipeline == 1;
  parallelism.sequence_parallel = parallelism.tensor > 1;
  parallelism.order = Parallelism{}.order;
  if (parallelism.data > 1 && (parallelism.sharding == Sharding::optimizer ||
                               (parallelism.sharding == Sharding::none && !alone)))
    parallelism.sharding = Sharding::gradients;
  if (parallelism.recompute == Recompute::selective) parallelism.recompute = Recompute::none;
  parallelism.recompute_layers = 0;
  parallelism.gradient_type = DataType::fp32;
  // Mixed precision comes with shards, or where there is one axis.
  if (parallelism.data == 1 && !alone) parallelism.compute_type = DataType::fp32;
  if (parallelism.pipeline == 1) parallelism.stage_layers.clear();
  plan.ccl = {};
  if (parallelism.data > 1 && parallelism.sharding == Sharding::none)
    plan.ccl.bucket = Bytes{104857600};  // 100 MiB, DDP's
  plan.intra_inter = {};
  plan.host_net = {};
  plan.network = {};
  return plan;
}

Plan sayable_for_deepspeed(Plan plan) {
  Parallelism& parallelism = plan.parallelism;
  make_usual(parallelism);
  parallelism.schedule = PipelineSchedule::one_f_one_b;
  parallelism.virtual_stages = 1;
  parallelism.stage_layers.clear();
  parallelism.order = Parallelism{}.order;
  parallelism.sequence_parallel = false;
  using enum Sharding;
  if (parallelism.pipeline > 1 && parallelism.sharding != none) parallelism.sharding = optimizer;
  if (parallelism.tensor > 1 && parallelism.sharding == parameters)
    parallelism.sharding = gradients;
  if (parallelism.sharding != parameters) parallelism.sharding_group = 0;
  if (parallelism.recompute == Recompute::selective) parallelism.recompute = Recompute::none;
  parallelism.recompute_layers = 0;
  if (parallelism.sharding == none) parallelism.gradient_type = DataType::bf16;
  const bool fp32 = parallelism.gradient_type == DataType::fp32;
  const bool after_backward =
      parallelism.sharding == none || (parallelism.sharding == optimizer && fp32);
  Ccl& ccl = plan.ccl;
  if (after_backward || ccl.bucket == Bytes{}) ccl.bucket = Bytes{fp32 ? 2e9 : 1e9};  // 5e8 numbers
  if (after_backward || parallelism.pipeline > 1) ccl.overlap_gradients = false;
  if (parallelism.sharding != parameters) ccl.overlap_parameters = parallelism.sharding == none;
  ccl.tuner = {};
  for (CollectiveRule& rule : ccl.rules) rule.axis = {};
  plan.intra_inter.decompositions.clear();
  plan.host_net.launch = Launch::eager;
  plan.network = {};
  return plan;
}

Plan sayable_for_nemo(Plan plan) {
  plan = sayable_for_megatron(plan);
  Parallelism& parallelism = plan.parallelism;
  const bool fsdp =
      parallelism.sharding == Sharding::gradients || parallelism.sharding == Sharding::parameters;
  if (fsdp) parallelism.order = Parallelism{}.order;
  if (plan.ccl.overlap_gradients && !fsdp && plan.ccl.bucket == Bytes{})
    plan.ccl.bucket = Bytes{25e6};
  return plan;
}

}  // namespace quintet::test
