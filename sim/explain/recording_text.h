// How a device's times came about, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

// A sentence each: what recorded and why, what that costs, what is missing.
std::vector<std::string> recording_lines(const Recording& recording);

// {"by", "instead", "steps_with", "steps_without", "with", "without", "cost", "pieces", "in_spans",
//  "lost"}; times in picoseconds.
std::string recording_json(const Recording& recording);

}  // namespace quintet
