#include "gui/drawing/plot/plot.h"

namespace quintet::gui {

QRectF plot_place(const QSizeF& size) {
  return QRectF(QPointF(), size).adjusted(12, 8, -12, -8);
}

void paint_plot(QPainter& painter, const QSizeF& size, const Theme& theme, const Plot& plot,
                std::optional<int> chosen) {
  painter.fillRect(QRectF(QPointF(), size), theme.paper);
  if (plot.draw) plot.draw(painter, plot_place(size), theme, chosen);
}

}  // namespace quintet::gui
