// A validation as tables for people and as JSON for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/validate/validation.h"

namespace quintet {

// A line per source and stack, the memory verdicts, why rows are not expressed, and the `worst`
// rows, farthest off first.
std::string validation_text(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst);

// {"rows": [{"id", "predicted_step_time_s", "fits", "peak_mem_gib", "reason"}, ...],
//  "summary": [...]}; what is not known is null.
std::string validation_json(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary);

// One page without any other file: a scatter plot per source and stack, the same summary, the
// `worst` rows with their breakdowns.
std::string validation_html(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst);

// Rows with a predicted and a measured time, largest relative error first, at most `most`.
std::vector<const RowVerdict*> worst_rows(const std::vector<RowVerdict>& verdicts, int most);

// "compute 61 %, tensor 20 %, bubble 11 %, host 8 %": shares of the simulated step.
std::string breakdown_text(const RankBreakdown& breakdown);

}  // namespace quintet
