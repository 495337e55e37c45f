#include "gui/pages/topology/paint_badges.h"

namespace quintet::gui {

namespace {

constexpr double height = 16, symbol = 8;

void paint_shape(QPainter& painter, const QPointF& middle, Badge::Shape shape) {
  const double half = symbol / 2;
  switch (shape) {
    case Badge::Shape::cross:
      painter.drawLine(middle + QPointF(-half, -half), middle + QPointF(half, half));
      painter.drawLine(middle + QPointF(-half, half), middle + QPointF(half, -half));
      return;
    case Badge::Shape::triangle:
      painter.drawPolygon(
          QPolygonF({middle + QPointF(-half, -half + 1), middle + QPointF(half, -half + 1),
                     middle + QPointF(0, half)}));
      return;
    case Badge::Shape::clock:
      painter.drawEllipse(middle, half, half);
      painter.drawLine(middle, middle - QPointF(0, half - 1));
      painter.drawLine(middle, middle + QPointF(half - 1.5, 0));
      return;
  }
}

}  // namespace

double paint_badge(QPainter& painter, const QPointF& left_middle, const Badge& badge,
                   const Theme& theme) {
  QFont font = painter.font();
  font.setPixelSize(10);
  painter.setFont(font);
  const double words =
      badge.text.isEmpty() ? 0.0 : painter.fontMetrics().horizontalAdvance(badge.text) + 4.0;
  const double width = symbol + 8 + words;
  painter.setPen(QPen(theme.warning, 1.4));
  painter.setBrush(theme.paper);
  painter.drawRoundedRect(QRectF(left_middle.x(), left_middle.y() - height / 2, width, height), 4,
                          4);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.warning, 1.8));
  paint_shape(painter, left_middle + QPointF(4 + symbol / 2, 0), badge.shape);
  painter.setPen(theme.ink);
  painter.drawText(
      QRectF(left_middle.x() + symbol + 6, left_middle.y() - height / 2, words + 2, height),
      Qt::AlignLeft | Qt::AlignVCenter, badge.text);
  return width;
}

void paint_badges(QPainter& painter, const QPointF& at, const std::vector<Badge>& badges,
                  const Theme& theme) {
  QPointF left = at - QPointF(10, 0);
  for (const Badge& badge : badges) left.rx() += paint_badge(painter, left, badge, theme) + 2;
}

}  // namespace quintet::gui
