// What a plan's stages fill of their GPUs' memory: the model's part (sim/parallelism/memory.h) with
// what the cost table says of the software around it.
#pragma once

#include "sim/cost/cost_table.h"
#include "sim/explain/memory_report.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/parallelism/memory.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// Compute from operators, or from profiles where the costs have such of whole stages.
CompileOptions compile_options(const CostTable& costs, CompileOptions options);

// The smallest GPU's: a stage's memory is compared with it wherever the stage sits.
Bytes least_memory(const Topology& topology);

// Of the first rank of the stage, which stands for all of them.
RankMemory rank_memory(const StageMemory& stage, const Parallelism& parallelism,
                       const CostTable& costs);

// A rank for each stage. Needs a plan without problems.
MemoryReport memory_report(const Model& model, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const CompileOptions& options);

}  // namespace quintet
