// "communication", "overlap" and "processors" of costs.json: what communication reaches, and what
// it takes from kernels.
#pragma once

#include <string>

#include "sim/cost/cost_table.h"
#include "sim/json/json_value.h"

namespace quintet {

class JsonObject;

// Each is read from the part's own object.
CommunicationCosts read_communication(JsonObject& json);
OverlapCosts read_overlap(JsonObject& json);
ProcessorCosts read_processors(JsonObject& json);

// As they are read: objects with a line for each curve, pair and row.
std::string json_text(CommunicationCosts costs);
std::string json_text(OverlapCosts costs);
std::string json_text(ProcessorCosts costs);

// One curve, for people.
JsonValue curve_fields(CollectiveCurve curve);

}  // namespace quintet
