// How a device's times came about, for people.
#pragma once

#include <string>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

// A sentence each: what recorded and why, what that costs, what is missing.
std::vector<std::string> recording_lines(const Recording& recording);

}  // namespace quintet
