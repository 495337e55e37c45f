// The GEMM formula of kernel_time.h.
#pragma once

#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/model/operator.h"

namespace quintet {

// The entry for this type, or nothing.
const GemmCosts* gemm_costs(DataType type, const CostTable& table);

// One product, whatever its phase.
KernelUse gemm_use(const GemmShape& shape, const GemmCosts& costs, const CostTable& table);

// How much longer a linear layer's product takes in this phase for its operand layout.
double layout_factor(Phase phase, const GemmCosts& costs);

}  // namespace quintet
