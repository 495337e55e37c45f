// Measured operators as JSON: read strictly, written so that they read back to the same value. Only
// reader and writer .cpp files include this (it brings nlohmann/json in).
#pragma once

#include "sim/cost/cost_table.h"
#include "sim/json_fields.h"

namespace quintet {

// {"operator": "mlp_up", "phase": "forward", "type": "fp32", "gemm": {"m": 256, ...}, "kernels": 1,
//  "time": "1.2 ms", "samples": 80}, with "gemm", "attention" or "memory" for the shape.
MeasuredOperator read_measured_operator(JsonObject& fields);
nlohmann::json json_of(const MeasuredOperator& measured);

}  // namespace quintet
