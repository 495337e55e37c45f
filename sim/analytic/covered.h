// Which plans the analytic fidelity has pieces for.
#pragma once

#include <optional>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// The field that makes the plan one for the walk alone; nothing where there is none.
std::optional<Error> not_covered(const Plan& plan, const Topology& topology, const CostTable& costs,
                                 const CompileOptions& options);

}  // namespace quintet
