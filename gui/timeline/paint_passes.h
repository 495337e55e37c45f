// A pipeline as a grid of forward, backward and weight-gradient passes, on the time axis of the
// rows above it; and the shares of a critical path as one bar.
#pragma once

#include <QPainter>
#include <QSize>

#include "gui/drawing/theme.h"
#include "gui/timeline/time_window.h"
#include "sim/explain/path/critical_path.h"
#include "sim/picture/pass_grid.h"

namespace quintet::gui {

struct NamedGrid {
  QString name;  // "predicted"
  const PassGrid* grid = nullptr;
  Duration shift;
};

int height_of_grids(const std::vector<NamedGrid>& grids);
// `left`: where the time axis begins.
void paint_passes(QPainter& painter, QSize size, const Theme& theme,
                  const std::vector<NamedGrid>& grids, const TimeWindow& window, int left);

void paint_path_shares(QPainter& painter, QSize size, const Theme& theme,
                       const std::vector<PathShare>& shares);

}  // namespace quintet::gui
