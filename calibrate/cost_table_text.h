// A cost table as the file that sim/cost/cost_table_file.h reads: what calibration measures, not
// the formulas of GPUs.
#pragma once

#include <string>

#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// Reads back to an equal table, where that has operators, processors and communication only.
std::string text_of(const CostTable& table);

}  // namespace quintet::calibrate
