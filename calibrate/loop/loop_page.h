// The loop's answer drawn: predictions beside what was measured, and why they differ.
#pragma once

#include <string>
#include <vector>

#include "calibrate/loop/loop_report.h"
#include "sim/picture/page.h"

namespace quintet::calibrate {

// All rows with their intervals; of the first six whose timelines can be read both steps as bars
// and what led from one to the other. Reads those timelines.
Page loop_page(const std::vector<LoopRow>& rows, const std::vector<std::string>& remarks);

}  // namespace quintet::calibrate
