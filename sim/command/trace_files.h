// Where `quintet simulate --trace FILE` writes: FILE for one plan, FILE-PLAN.json for each of
// several.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/command/inputs.h"

namespace quintet {

// One per plan, in their order; none when `given` is empty. Fails when two plans would write one
// file or the place to write is none, which is better known before the work than after it.
Result<std::vector<std::filesystem::path>> trace_files(const std::string& given,
                                                       const std::vector<PlanInput>& plans);

}  // namespace quintet
