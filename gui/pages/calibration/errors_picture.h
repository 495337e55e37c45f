// Held-out errors of all parts of a cost table side by side: a bar from 5 to 95 % of measured / fit
// - 1, a mark at the median of the absolute errors.
#pragma once

#include <QPainter>
#include <QSizeF>
#include <vector>

#include "gui/drawing/theme.h"
#include "sim/cost/refit/part_fit.h"

namespace quintet::gui {

// As many parts as there is room for, those that are furthest off first; says how many are left
// out. What no point was held out of shows what the table recorded, hollow.
void paint_errors(QPainter& painter, const QSizeF& size, const Theme& theme,
                  const std::vector<PartFit>& fits);

}  // namespace quintet::gui
