// Files that verbs write: where to, and how it is known beforehand that it can be done.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/output_place.h"
#include "sim/base/result.h"
#include "sim/command/inputs.h"

namespace quintet {

// In the place of what was there. The error names the file and says why.
std::optional<Error> write_file(const std::filesystem::path& file, const std::string& text);

// Where `quintet simulate --trace FILE` writes: FILE for one plan, FILE-PLAN.json for each of
// several.
// One per plan, in their order; none when `given` is empty. Fails when two plans would write one
// file or the place to write is none, which is better known before the work than after it.
Result<std::vector<std::filesystem::path>> trace_files(const std::string& given,
                                                       const std::vector<PlanInput>& plans);

}  // namespace quintet
