// What NCCL itself says of a run, through the profiler plugin, beside what the plan asked of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"

namespace quintet::engine {

// For people, from one rank's profile: where it lies, then each thing once that NCCL did otherwise
// than the plan's rules ask.
Result<std::vector<std::string>> nccl_account(const std::filesystem::path& profile,
                                              const Program& program, const Ccl& ccl);

}  // namespace quintet::engine
