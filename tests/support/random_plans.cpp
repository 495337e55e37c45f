#include "tests/support/random_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/plan/problems/problems.h"
#include "tests/support/shipped.h"

namespace quintet::test {

namespace {

template <class T, std::size_t count>
T one_of(Dice& dice, const std::array<T, count>& choices) {
  return choices[static_cast<std::size_t>(dice.below(static_cast<int>(count)))];
}

bool once_in(Dice& dice, int throws) {
  return dice.below(throws) == 0;
}

PlanWorld world(const std::string& model, const std::string& machine, int hosts,
                const std::string& costs) {
  return {fmt::format("{} on {} {}", model, hosts, machine), shipped_model(model),
          shipped_topology(machine, hosts), shipped_costs(costs)};
}

void draw_degrees(Dice& dice, Parallelism& parallelism, int ranks) {
  parallelism.tensor = one_of(dice, std::array{1, 1, 2, 4, 8, 8, 16});
  parallelism.pipeline = one_of(dice, std::array{1, 1, 2, 4, 8, 16});
  parallelism.data = std::max(1, ranks / (parallelism.tensor * parallelism.pipeline));
  parallelism.sequence_parallel = parallelism.tensor > 1 && once_in(dice, 2);
  using enum Axis;
  if (once_in(dice, 5)) parallelism.order = {tensor, context, expert, pipeline, data};
}

// As even as whole layers allow.
std::vector<int> dealt_layers(int layers, int chunks) {
  std::vector<int> dealt;
  for (int chunk = 0; chunk < chunks; ++chunk)
    dealt.push_back(layers * (chunk + 1) / chunks - layers * chunk / chunks);
  return dealt;
}

void draw_schedule(Dice& dice, Parallelism& parallelism, int layers) {
  using enum PipelineSchedule;
  parallelism.micro_batches = one_of(dice, std::array{1, 2, 4, 8, 16, 32, 64});
  if (parallelism.pipeline > 1) {
    parallelism.schedule =
        one_of(dice, std::array{gpipe, one_f_one_b, one_f_one_b, interleaved, zb_h1, zb_h2});
    parallelism.micro_batches = std::max(parallelism.micro_batches, parallelism.pipeline);
    if (parallelism.schedule == interleaved)
      parallelism.virtual_stages = one_of(dice, std::array{2, 2, 4});
  }
  const int chunks = parallelism.pipeline * parallelism.virtual_stages;
  if (layers % chunks != 0 || once_in(dice, 8))
    parallelism.stage_layers = dealt_layers(layers, chunks);
}

void draw_work(Dice& dice, Parallelism& parallelism, const Model& model) {
  parallelism.sequence_length = one_of(dice, std::array{512, 1024, 2048, 4096});
  if (model.positions == PositionKind::learned)
    parallelism.sequence_length = std::min(parallelism.sequence_length, model.max_positions);
  parallelism.micro_batch = one_of(dice, std::array{1, 1, 2, 4});
  using enum Recompute;
  parallelism.recompute = one_of(dice, std::array{none, none, selective, full});
  if (parallelism.recompute == full && once_in(dice, 4)) parallelism.recompute_layers = 1;
}

void draw_state(Dice& dice, Parallelism& parallelism) {
  if (parallelism.data > 1)
    parallelism.sharding =
        one_of(dice, std::array{Sharding::none, Sharding::optimizer, Sharding::optimizer,
                                Sharding::gradients, Sharding::parameters});
  if (parallelism.sharding != Sharding::none && parallelism.data % 4 == 0 && once_in(dice, 4))
    parallelism.sharding_group = parallelism.data / 2;
  using enum Clipping;
  parallelism.clipping = one_of(
      dice, std::array{after_reduction, after_reduction, none, before_reduction, per_bucket});
  parallelism.gradient_type = once_in(dice, 3) ? DataType::bf16 : DataType::fp32;
  parallelism.loss_scaling = once_in(dice, 8);
}

void draw_layers_below(Dice& dice, Plan& plan) {
  plan.ccl.bucket = Bytes{one_of(dice, std::array{0.0, 0.0, 25e6, 100e6, 500e6})};
  plan.ccl.overlap_gradients = !once_in(dice, 3);
  plan.ccl.overlap_parameters = !once_in(dice, 3);
  if (once_in(dice, 3)) plan.ccl.tuner = TunerVersion::nccl_2_30;
  if (once_in(dice, 3))
    plan.ccl.rules = {
        {.axis = once_in(dice, 2) ? Axis::data : Axis::tensor,
         .algorithm = one_of(dice, std::array{Algorithm::ring, Algorithm::tree, Algorithm::nvls})}};
  if (once_in(dice, 4))
    plan.intra_inter.decompositions = {{Axis::data, Decomposition::hierarchical}};
  if (once_in(dice, 4)) plan.intra_inter.forwarding = Forwarding::none;
  if (once_in(dice, 6)) plan.host_net.delivery = Delivery::staged;
  plan.host_net.queue_pairs = one_of(dice, std::array{1, 1, 2, 4});
  if (once_in(dice, 3)) plan.host_net.launch = Launch::graphs;
  using enum Routing;
  plan.network.routing = one_of(dice, std::array{rail_pinned, rail_pinned, ecmp, spray});
}

}  // namespace

std::vector<PlanWorld> plan_worlds() {
  std::vector<PlanWorld> worlds;
  worlds.push_back(world("llama-3-8b", "dgx-h100", 2, "h100-sxm-80gb"));
  worlds.push_back(world("llama-3-70b", "dgx-h100", 16, "h100-sxm-80gb"));
  worlds.push_back(world("gpt-3-175b", "selene-a100", 32, "a100-sxm-80gb"));
  worlds.push_back(world("korthikanti-22b", "leonardo-a100", 16, "a100-sxm-80gb"));
  worlds.push_back(world("mistral-7b", "vela-a100", 8, "a100-sxm-80gb"));
  worlds.push_back(world("llama-3-70b", "gb200-nvl72", 1, "gb200-sxm-186gb"));
  worlds.push_back(world("llama-3-8b", "hgx-h200", 4, "h200-sxm-141gb"));
  worlds.push_back(world("gpt2", "dgx-h100-1", 1, "h100-sxm-80gb"));
  return worlds;
}

Plan random_plan(Dice& dice, const PlanWorld& world) {
  const int ranks = static_cast<int>(rank_slots(world.topology).size());
  while (true) {
    Plan plan;
    plan.name = world.name;
    draw_degrees(dice, plan.parallelism, ranks);
    draw_schedule(dice, plan.parallelism, world.model.layers);
    draw_work(dice, plan.parallelism, world.model);
    draw_state(dice, plan.parallelism);
    draw_layers_below(dice, plan);
    if (problems(plan, world.model, world.topology).empty()) return plan;
  }
}

}  // namespace quintet::test
