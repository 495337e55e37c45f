// What of a fault file a run is over before. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/topology/faults/fault_file.h"

namespace quintet {

// A sentence for each event that begins after the last step, or, where it is told by time alone,
// after so long a run; one where there are no events at all. `length` none: not known beforehand.
std::vector<std::string> never_come(const FaultPlan& faults, int steps,
                                    std::optional<Seconds> length = std::nullopt);

}  // namespace quintet
