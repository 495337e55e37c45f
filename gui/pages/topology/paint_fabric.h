// Draws a machine: boxes in tiers, links as wide and as coloured as they are loaded, badges, and a
// legend.
#pragma once

#include <QPainter>
#include <QSizeF>
#include <QTransform>

#include "gui/drawing/theme.h"
#include "gui/topology/fabric_picture.h"

namespace quintet::gui {

inline constexpr double legend_height = 52;

// `view`: from the layout's places to those of the picture.
void paint_fabric(QPainter& painter, const QSizeF& size, const FabricPicture& picture,
                  const Theme& theme, const QTransform& view);

// All of the machine into the picture, with its legend below.
QTransform fitting(const FabricPicture& picture, const QSizeF& size);

// A bundle's line: what the legend explains. A bundle without load is `theme.frame`.
QColor color_of_bundle(const FabricPicture& picture, const Theme& theme, int bundle);
double width_of_bundle(const FabricPicture& picture, int bundle);

}  // namespace quintet::gui
