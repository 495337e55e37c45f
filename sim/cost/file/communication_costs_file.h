// "communication", "overlap" and "processors" of costs.json: what communication reaches, and what
// it takes from kernels.
#pragma once

#include <string>

#include "sim/cost/cost_table.h"

namespace quintet {

class JsonObject;

// Of the part's own object.
CommunicationCosts read_communication(JsonObject& fields);
OverlapCosts read_overlap(JsonObject& fields);
ProcessorCosts read_processors(JsonObject& fields);

// How such files call it: "all_reduce", "halving_doubling", "ll128".
std::string file_word(CollectiveKind kind);
std::string file_word(Algorithm algorithm);
std::string file_word(Protocol protocol);

}  // namespace quintet
