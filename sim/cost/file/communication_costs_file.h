// "communication", "overlap" and "processors" of costs.json: what communication reaches, and what
// it takes from kernels.
#pragma once

#include <string>

#include "sim/cost/cost_table.h"

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

// How such files call it: "all_reduce", "halving_doubling", "ll128".
std::string file_word(CollectiveKind kind);
std::string file_word(Algorithm algorithm);
std::string file_word(Protocol protocol);

}  // namespace quintet
