// Ranks that this process has started to measure something, each a process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "sim/base/result.h"

namespace quintet::calibrate {

// Waits for all of them; the first that failed is named. Each has said why.
std::optional<Error> all_ended(const std::vector<pid_t>& processes);

}  // namespace quintet::calibrate
