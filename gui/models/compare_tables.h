// Tables and bars of scenarios side by side. Pure; figures are those that the command prints.
#pragma once

#include <vector>

#include "gui/drawing/plot/parts_plot.h"
#include "gui/models/compare_columns.h"
#include "gui/models/rows_model.h"
#include "sim/explain/difference/step_parts.h"

namespace quintet::gui {

// In all of these: columns that are ready, and which of them is the base.
using Columns = std::vector<CompareColumn>;

// Step, MFU, memory, money; last what each differs in from the base.
TableRows figures_table(const Columns& columns, std::size_t base);

// rows_of() of each, its share of the step, and the difference to the base.
TableRows parts_table(const Columns& columns, std::size_t base);

// A bar per column, whose parts sum to its step.
PartsPlot parts_plot(const Columns& columns, std::size_t base);

// By what two steps' difference is told.
enum class DifferenceBy { stack, layer, operators, axis, cause };
QString text_of(DifferenceBy by);
TableRows difference_table(const StepParts& parts, DifferenceBy by, const QString& base,
                           const QString& other);
// Why, in sentences; or why there are none.
QString difference_words(const StepParts& parts, const QString& base, const QString& other);

}  // namespace quintet::gui
