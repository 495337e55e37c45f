// Which plan we would have picked of each published sheet (sheet.h), and what that would have cost.
#pragma once

#include <string>
#include <vector>

#include "sim/base/text_table.h"
#include "sim/validate/sheet.h"
#include "sim/validate/validation.h"

namespace quintet {

// A line per sheet, largest regret first, failures before all others.
std::vector<TextRow> sheet_table(const std::vector<Sheet>& sheets);

// The table, what its columns mean, and mean and largest regret of every source and stack.
std::string sheet_text(const std::vector<Sheet>& sheets);

// {"sheets": [{"source", "stack", "model", "gpu", "precision", "gpus", "sequence_length",
// "candidates",
//   "admitted", "picked": ROW, "best": ROW, "regret"}, ...]}, where ROW is {"id", "plan",
// "predicted_step_time_s", "measured_step_time_s", "peak_mem_gib"}; what is not known is null.
std::string sheet_json(const std::vector<Sheet>& sheets);

// "tp 2, pp 4, micro-batch 1, sequence parallel, recompute full, flash_attention2": what a row says
// of its plan beyond its sheet.
std::string plan_text(const PublishedRow& row);

}  // namespace quintet
