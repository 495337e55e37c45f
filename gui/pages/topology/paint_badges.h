// What is wrong with a part, as a shape and words beside it.
#pragma once

#include <QPainter>
#include <QPointF>
#include <vector>

#include "gui/drawing/theme.h"
#include "gui/topology/fabric_picture.h"

namespace quintet::gui {

// In a line that begins around this place.
void paint_badges(QPainter& painter, const QPointF& at, const std::vector<Badge>& badges,
                  const Theme& theme);
// Gives back how wide it is.
double paint_badge(QPainter& painter, const QPointF& left_middle, const Badge& badge,
                   const Theme& theme);

}  // namespace quintet::gui
