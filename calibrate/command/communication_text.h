// What was measured of communication, as the file that sim/cost/file/communication_costs_file.h
// reads.
#pragma once

#include <string>

#include "sim/cost/communication_costs.h"

namespace quintet::calibrate {

// JSON objects, a line for each curve, pair and row.
std::string json_text(const CommunicationCosts& costs);
std::string json_text(const OverlapCosts& costs);

}  // namespace quintet::calibrate
