// What was found out about messages, for people.
#pragma once

#include <string>

#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// A line for each curve: what few bytes take, the rate of many, how far sizes left out were from
// what the others say. Then pairs, ranks and overlap in a sentence each. Empty where no messages
// were measured.
std::string message_summary(const CostTable& table);

}  // namespace quintet::calibrate
