#include "tests/benchmark/varied_worlds.h"

#include <fmt/format.h>

#include <string>

#include "sim/plan/problems/problems.h"
#include "tests/support/shipped.h"

namespace quintet::test {

namespace {

VariedWorld varied(const std::string& model, const std::string& machine, int hosts,
                   const std::string& costs, double share) {
  return {{fmt::format("{} on {} {}", model, hosts, machine), shipped_model(model),
           shipped_topology(machine, hosts), shipped_costs(costs)},
          share};
}

}  // namespace

std::vector<VariedWorld> varied_worlds() {
  std::vector<VariedWorld> worlds;
  for (PlanWorld& world : plan_worlds()) worlds.push_back({std::move(world), 1});
  const auto add = [&](const std::string& model, const std::string& machine, int hosts,
                       const std::string& costs, double share) {
    worlds.push_back(varied(model, machine, hosts, costs, share));
  };
  const std::string h100 = "h100-sxm-80gb", a100 = "a100-sxm-80gb";
  add("llama-3-8b", "dgx-h100-fat-tree", 8, h100, 1);
  add("mistral-7b", "dgx-h100-fat-tree", 16, h100, 1);
  add("llama-3-8b", "grand-teton-h100", 8, h100, 1);
  add("llama-3-70b", "dgx-b200", 4, "b200-sxm-180gb", 1);
  add("llama-3-70b", "alps-gh200", 16, "gh200-96gb", 1);
  add("korthikanti-22b", "jean-zay-a100", 4, a100, 1);
  add("llama-3-70b", "gb200", 2, "gb200-sxm-186gb", 0.5);
  add("llama-3-8b", "dgx-h100-fat-tree", 64, h100, 0.3);
  add("llama-3-70b", "dgx-h100", 64, h100, 0.3);
  add("gpt-3-175b", "selene-a100", 128, a100, 0.2);
  add("llama-3-70b", "dgx-h100", 256, h100, 0.2);
  return worlds;
}

Plan varied_plan(Dice& dice, const PlanWorld& world) {
  while (true) {
    Plan plan = random_plan(dice, world);
    if (dice.below(8) == 0) {
      using enum Axis;
      plan.parallelism.order = {data, tensor, context, expert, pipeline};
    }
    if (world.model.layers <= 40 && dice.below(8) == 0) plan.ccl.bucket = Bytes{5e6};
    if (problems(plan, world.model, world.topology).empty()) return plan;
  }
}

}  // namespace quintet::test
