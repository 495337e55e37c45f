// A plan to start from, by rules that are published: no search.
#pragma once

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/explain/memory_report.h"
#include "sim/plan/plan.h"

namespace quintet {

struct PlanStart {
  Plan plan;
  MemoryReport memory;  // predicted
};

// Tensor parallelism inside a host as far as memory needs it, then stages across hosts, replicas
// for the rest (Narayanan et al., arXiv 2104.04473, takeaways 1 to 3), the optimizer shared among
// replicas (ZeRO 1), sequence parallelism with tensor parallelism (arXiv 2205.05198); the first
// that fits, first without recomputation, then with all of it, then with parameters shared (FSDP).
// Where none fits, the one that needs least. Fields that `asked` sets stay as they are. Not said:
// sequences as long as the model's table of positions, at most 8192; steps of 4 million tokens
// (Llama 3, arXiv 2407.21783, table 4), rounded up so that they can be dealt out. Fails where no
// plan of these is valid, with the reasons of the last.
Result<PlanStart> plan_start(const Inputs& inputs, const FieldChanges& asked);

}  // namespace quintet
