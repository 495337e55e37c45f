// Model + Plan + Topology -> the Program of one step: checked, compiled, cut into phases. What the
// simulator predicts and the engine executes; what anything costs has no say in it.
#pragma once

#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/topology/topology.h"

namespace quintet {

// Needs a plan without problems().
Program step_program(const Model& model, const Plan& plan, const Topology& topology,
                     const CompileOptions& options = {});

// Fails with all problems() of the plan, a line each.
Result<Program> checked_step_program(const Model& model, const Plan& plan, const Topology& topology,
                                     const CompileOptions& options = {});

}  // namespace quintet
