// The simulator as the controller asks it (sim/adapt/controller.h).
#pragma once

#include "sim/adapt/controller.h"
#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/topology/topology.h"

namespace quintet {

// What the stages of a machine are late by, as the machine: every message between ranks of
// neighbouring stages is held and late so long (HeldSend), besides what is held already.
Topology with_late_stages(Topology topology, const Plan& plan, const PipelineState& state);

// Stages take what was measured of them, as profiles; all else is the tables'. References but the
// last must outlive it.
PredictStep simulated_step(const Model& model, const Topology& topology, const CostTable& costs,
                           const CompileOptions& compile = {});

// For whoever knows the machine as it is now, late links and all, and has not to believe what steps
// show of it: the plan's step there, whatever the state. References but the last must outlive it.
PredictStep known_step(const Model& model, const Topology& topology, const CostTable& costs,
                       const CompileOptions& compile = {});

}  // namespace quintet
