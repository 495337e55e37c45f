// A validation as tables for people and as JSON for programs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/result.h"
#include "sim/validate/fit/tunable_shelf.h"
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

// Why rows have no prediction, and how many, most frequent first.
std::vector<std::pair<std::string, int>> reasons_of(const std::vector<RowVerdict>& verdicts);

// "compute 61 %, exposed communication 20 % (tensor 15 %, data 5 %), pipeline bubble 19 %": shares
// of the predicted step.
std::string breakdown_text(const StepPrediction& prediction);

// The summary and the free parameters as Markdown tables.
std::string validation_markdown(const std::vector<SourceSummary>& summary,
                                const std::vector<ShelfParameter>& free);

// A page with another scoreboard between its two marks; an error if it lacks them.
inline constexpr const char* scoreboard_begin = "<!-- scoreboard -->";
inline constexpr const char* scoreboard_end = "<!-- end of scoreboard -->";
Result<std::string> with_scoreboard(const std::string& page, const std::string& where,
                                    const std::string& scoreboard);

}  // namespace quintet
