// Curves of operators as JSON: read strictly, written so that they read back to the same value.
#pragma once

#include <optional>
#include <string>

#include "sim/cost/cost_table.h"

namespace quintet {

class JsonObject;

// {"amplitude": 0.2, "noise": 0.01, "lengths": [1.5, 2], "residuals": {"p05": -0.04, "p95": 0.05,
//  "samples": 30}, "points": [...]}: points as measured_operators_file.h reads them, in natural
// logarithms the smoothness. Nothing where a field failed.
std::optional<OperatorCurve> read_operator_curve(JsonObject& fields);
std::string json_text(const OperatorCurve& curve);

}  // namespace quintet
