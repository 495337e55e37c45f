// "gemm", "attention" and "memory" of costs.json: what kernels reach.
#pragma once

#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/json/json_value.h"

namespace quintet {

class JsonObject;

// Each list is read from the table's root object. Twice the same type or operation is refused.
std::vector<GemmCosts> read_gemm_costs(JsonObject& root);
std::vector<AttentionCosts> read_attention_costs(JsonObject& root);
std::vector<MemoryCosts> read_memory_costs(JsonObject& root);

// The fields of an entry that `quintet fit` sets, with residuals and what they cover, for people:
// "2.5 us". Of a memory-bound kernel those that it does not set at their usual value are left out.
JsonValue fitted_fields(GemmCosts costs);
JsonValue fitted_fields(AttentionCosts costs);
JsonValue fitted_fields(MemoryCosts costs);

}  // namespace quintet
