// What the plan page says in figures, as tables.
#pragma once

#include <QString>
#include <vector>

#include "gui/document/document.h"
#include "gui/models/field_tree_model.h"
#include "gui/models/rows_model.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/memory_report.h"

namespace quintet::gui {

// A row per stage, of its fullest rank, in GiB.
TableRows memory_table_of(const std::vector<RankMemory>& stages, Bytes capacity);
// A row per part of the step that takes time before or after; what is no sum is moved in.
TableRows difference_table_of(const std::vector<RowDifference>& rows);
// A row per change, the newest first.
TableRows effects_table_of(const std::vector<Effect>& effects);
TableRows problems_table_of(const std::vector<FieldProblem>& problems);

}  // namespace quintet::gui
