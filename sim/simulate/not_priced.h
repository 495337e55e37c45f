// What of a plan a cost table has no price of.
#pragma once

#include <optional>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"

namespace quintet {

// The first thing that is not priced, with its place in the table and a remedy. `program` is the
// plan's.
std::optional<Error> not_priced(const Program& program, const Plan& plan, const CostTable& costs);

}  // namespace quintet
