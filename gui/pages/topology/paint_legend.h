// What colours, widths and badges of a machine's picture mean.
#pragma once

#include <QPainter>
#include <QRectF>

#include "gui/drawing/theme.h"
#include "gui/topology/fabric_picture.h"

namespace quintet::gui {

void paint_legend(QPainter& painter, const QRectF& rect, const FabricPicture& picture,
                  const Theme& theme);

}  // namespace quintet::gui
