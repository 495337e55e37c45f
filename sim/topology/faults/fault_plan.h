// A file's events as what is wrong from when to when, and what contradicts itself among them.
// Inside the room only.
#pragma once

#include "sim/topology/faults/fault_file.h"

namespace quintet {

Result<FaultPlan> fault_plan(const FaultFile& file, const std::string& where);

}  // namespace quintet
