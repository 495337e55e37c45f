// The attention formulas of kernel_time.h.
#pragma once

#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/model/operator.h"

namespace quintet {

// The fused kernel's entry for this type, or nothing. Under an fp8 recipe attention stays in bf16
// (Transformer Engine's default), so fp8 finds the bf16 entry.
const AttentionCosts* attention_costs(DataType type, const CostTable& table);

// The whole of it: forward and recompute the core once, backward phases its gradients.
KernelUse attention_use(const AttentionShape& shape, DataType type, Phase phase,
                        const CostTable& table);

}  // namespace quintet
