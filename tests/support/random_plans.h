// Plans drawn at random over all five layers, for shipped models on shipped machines: what the
// analytic fidelity, and whoever searches with it, is tested on. The same seed gives the same
// plans.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"
#include "tests/support/dice.h"

namespace quintet::test {

// A model on a machine.
struct PlanWorld {
  std::string name;  // "llama-3-8b on 2 dgx-h100"
  Model model;
  Topology topology;
  CostTable costs;
};

// Models of 0.1 to 175 billion parameters on 8 to 256 GPUs of four generations.
std::vector<PlanWorld> plan_worlds();

// One without problems() in this world, though it may not fit the memory.
Plan random_plan(Dice& dice, const PlanWorld& world);

}  // namespace quintet::test
