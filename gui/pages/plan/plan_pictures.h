// The plan page's pictures.
#pragma once

#include <QPainter>
#include <QSizeF>
#include <QString>
#include <optional>
#include <vector>

#include "gui/drawing/theme.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/memory_report.h"

namespace quintet::gui {

// A bar per stage, of its fullest rank, against the capacity of a GPU.
struct MemoryBars {
  std::vector<RankMemory> stages;
  Bytes capacity;
  QString says;  // the verdict
};
void paint_memory(QPainter& painter, const QSizeF& size, const Theme& theme,
                  const MemoryBars& bars);

// Where the time of the step goes, and went before the last change: bars of parts that sum to it.
struct StepBars {
  std::vector<RowDifference> rows;  // the last is the step; empty: nothing is known
  bool has_before = false;
  bool is_of_now = true;  // else of the last plan that fitted
};
void paint_step(QPainter& painter, const QSizeF& size, const Theme& theme, const StepBars& bars);

// Rows that are no sums of others: they sum to the step.
std::vector<std::size_t> segments_of(const std::vector<RowDifference>& rows);

}  // namespace quintet::gui
