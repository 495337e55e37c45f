// The memory-bound formula of kernel_time.h.
#pragma once

#include <string_view>

#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/model/operator.h"

namespace quintet {

// The entry for this operation, or nothing.
const MemoryCosts* memory_costs(MemoryOperation operation, const CostTable& table);

// `kernels` kernels that together move what `shape` reads and writes.
KernelUse memory_use(const MemoryShape& shape, int kernels, Phase phase, MemoryOperation operation,
                     const CostTable& table);

// Which measured operation stands for this one. `shape` tells softmax (rows) from dropout (none)
// among the parts of unfused attention.
MemoryOperation operation_of(OperatorKind kind, const MemoryShape& shape);

// The word of costs.json.
std::string_view name_of(MemoryOperation operation);

}  // namespace quintet
