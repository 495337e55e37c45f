// The traces that `quintet simulate` writes of the plans it predicted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/command/report.h"

namespace quintet {

struct TraceWish {
  std::string file;   // --trace; empty: none
  std::string ranks;  // --trace-ranks; empty: one of each kind
  bool quiet = false;
};

// Ranks that a plan has not, or ranks of no trace: better known before the work than after it.
std::optional<Error> missing_rank(const TraceWish& wish, const std::vector<PlanInput>& plans);

// Files in the order of the report's plans (trace_files()). What was written, and what of it was
// left out, goes to the standard error.
std::optional<Error> write_traces(const TraceWish& wish, const ReportInput& report,
                                  const std::vector<std::filesystem::path>& files);

}  // namespace quintet
