// The first thing a Difference says.
#pragma once

#include <string>
#include <vector>

#include "sim/explain/difference/difference_report.h"
#include "sim/explain/shown_times.h"

namespace quintet {

// How far off the prediction is, what that is made of, what was measured and how well, and what
// makes the comparison doubtful; a sentence or two each.
std::vector<std::string> difference_answer(const DifferenceInput& input, const ShownTimes& times);

}  // namespace quintet
