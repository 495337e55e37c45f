// The script of one pipeline stage: its passes in the schedule's order, with what they receive,
// send and exchange.
#pragma once

#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/parallelism/program_builder.h"
#include "sim/plan/plan.h"

namespace quintet {

// What all ranks of the stage do in a step. The plan must fit the model; bodies and groups go into
// `builder`.
Role stage_role(const Model& model, const Plan& plan, const CompileOptions& options, int stage,
                ProgramBuilder& builder);

}  // namespace quintet
