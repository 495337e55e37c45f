// "gemm", "attention" and "memory" of costs.json: what kernels reach.
#pragma once

#include <vector>

#include "sim/cost/cost_table.h"

namespace quintet {

class JsonObject;

// Each list is read from the table's root object. Twice the same type or operation is refused.
std::vector<GemmCosts> read_gemm_costs(JsonObject& root);
std::vector<AttentionCosts> read_attention_costs(JsonObject& root);
std::vector<MemoryCosts> read_memory_costs(JsonObject& root);

}  // namespace quintet
