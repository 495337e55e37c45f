// The tables of a validation as its reports show them.
#pragma once

#include <string>
#include <vector>

#include "sim/base/text_table.h"
#include "sim/validate/fit/tunable_shelf.h"
#include "sim/validate/validation.h"

namespace quintet {

// The same lines are shown with other columns, and under other names.
enum class Shown { terminal, page, scoreboard };

// The first row names the columns; one line a source.
std::vector<TextRow> time_table(const std::vector<SourceSummary>& summary, Shown shown);
std::vector<TextRow> memory_table(const std::vector<SourceSummary>& summary, Shown shown);
std::vector<TextRow> reasons_table(const std::vector<RowVerdict>& verdicts, Shown shown);
std::vector<TextRow> parameter_table(const std::vector<ShelfParameter>& parameters);

// Rows that have a predicted and a measured time. On a page the column for a bar is left empty.
std::vector<TextRow> worst_table(const std::vector<const RowVerdict*>& rows, Shown shown);
inline constexpr std::size_t bar_column = 5, columns_of_text = 2;  // that follow it

}  // namespace quintet
