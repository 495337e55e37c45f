// How much a step hangs on what nobody told or measured: it is predicted again with one thing
// otherwise each time. As many predictions as there are variants that concern the plan.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/answer/answer.h"
#include "sim/model/model.h"

namespace quintet {

// One thing otherwise.
struct Variant {
  std::string assumption;  // "products 10 % slower"
  Plan plan;
  CostTable costs;
};

// Routing in each other way (where the plan crosses hosts), gradients and weights that overlap or
// do not (where there are replicas), and, each a tenth slower: products, attention, memory-bound
// kernels, the network's part of NCCL's formula; launches twice as long.
std::vector<Variant> variants_of(const Plan& plan, const CostTable& costs, bool between_hosts);

// The variants that can be predicted and change the step by 0.1 % or more, what moves it most
// first. `step`: as predicted.
std::vector<AssumptionEffect> assumption_effects(
    Seconds step, const std::vector<Variant>& variants,
    const std::function<Result<Seconds>(const Variant&)>& step_of);

}  // namespace quintet
