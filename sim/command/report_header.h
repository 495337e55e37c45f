// What stands above every report: model, machine, costs.
#pragma once

#include <cstddef>
#include <string>

#include "sim/command/inputs.h"
#include "sim/command/report.h"

namespace quintet {

// "1 plan", "2 plans".
std::string counted(std::size_t count, const char* noun);

// Without plans yet.
ReportInput report_header(const Inputs& inputs);

}  // namespace quintet
