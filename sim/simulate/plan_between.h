// Steps that differ by their number: where replicas exchange something in the last of so many steps
// only (Replicator::every), the others compute the same without the exchange. Pure.
#pragma once

#include <optional>

#include "sim/plan/plan.h"

namespace quintet {

// The plan of the steps between two exchanges; none: all steps are alike. What a whole run does
// beside its steps is left out.
std::optional<Plan> plan_between(const Plan& plan);

// Whether the step has the exchange; steps are counted from the first of training, 1.
bool has_exchange(const Plan& plan, int step);

}  // namespace quintet
