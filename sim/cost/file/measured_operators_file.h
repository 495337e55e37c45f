// Measured operators as JSON: read strictly, written so that they read back to the same value.
// Their fields are in operator_lists.h.
#pragma once

#include <string>

#include "sim/cost/cost_table.h"

namespace quintet {

class JsonObject;

// {"operator": "mlp_up", "phase": "forward", "type": "fp32", "gemm": {"m": 256, ...}, "kernels": 1,
//  "time": "1.2 ms", "samples": 80}, with "gemm", "attention" or "memory" for the shape.
MeasuredOperator read_measured_operator(JsonObject& fields);
std::string json_text(MeasuredOperator measured);

}  // namespace quintet
