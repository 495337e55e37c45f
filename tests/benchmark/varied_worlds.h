// What the analytic fidelity is compared on: models on machines of several families, from 8 to
// 2,048 GPUs, most of them small enough that fluid takes milliseconds, and plans for them.
#pragma once

#include <vector>

#include "tests/support/random_plans.h"

namespace quintet::test {

struct VariedWorld {
  PlanWorld world;
  double share = 1;  // of the plans, beside those of the other worlds
};
std::vector<VariedWorld> varied_worlds();

// As random_plan, with orders of axes and buckets of other sizes too.
Plan varied_plan(Dice& dice, const PlanWorld& world);

}  // namespace quintet::test
