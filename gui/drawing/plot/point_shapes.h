// The shape of a series' points and the dashes of its line, by its look, so that series differ
// without colour. Inside the room only.
#pragma once

#include <QPainter>
#include <QPen>
#include <QPointF>

#include "gui/drawing/plot/xy_plot.h"

namespace quintet::gui {

QPen series_pen(const Theme& theme, Look look);
void draw_point(QPainter& painter, const Theme& theme, Look look, PointState state, QPointF at);

}  // namespace quintet::gui
