#include "gui/drawing/plot/point_shapes.h"

#include <QPolygonF>

namespace quintet::gui {

namespace {

constexpr double half = 5.0;

// Yellow and the like are too bright on white paper for a thin line.
QColor line_color(const Theme& theme, Look look) {
  const QColor color = color_of(theme, look);
  if (theme.appearance == Appearance::light) return color.darker(look == Look::yellow ? 150 : 110);
  return look == Look::blue ? color.lighter(150) : color;
}

QPolygonF polygon(Look look, QPointF at) {
  const auto corner = [at](double x, double y) { return at + QPointF(x * half, y * half); };
  switch (look) {
    case Look::blue:
    case Look::grey:
      return {};
    case Look::vermillion:
      return {{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)}};
    case Look::green:
      return {{corner(0, -1.2), corner(1.2, 1), corner(-1.2, 1)}};
    case Look::purple:
      return {{corner(0, -1.3), corner(1.3, 0), corner(0, 1.3), corner(-1.3, 0)}};
    case Look::orange:
      return {{corner(0, 1.2), corner(1.2, -1), corner(-1.2, -1)}};
    case Look::sky:
      return {{corner(-1.2, 0), corner(1, -1.2), corner(1, 1.2)}};
    case Look::yellow:
      return {{corner(1.2, 0), corner(-1, -1.2), corner(-1, 1.2)}};
  }
  return {};
}

void draw_cross(QPainter& painter, const Theme& theme, QPointF at) {
  painter.setPen(QPen(theme.warning, 2.5));
  painter.drawLine(at + QPointF(-half, -half), at + QPointF(half, half));
  painter.drawLine(at + QPointF(-half, half), at + QPointF(half, -half));
}

}  // namespace

QPen series_pen(const Theme& theme, Look look) {
  constexpr std::array styles{Qt::SolidLine,   Qt::DashLine,       Qt::DotLine,
                              Qt::DashDotLine, Qt::DashDotDotLine, Qt::SolidLine};
  return {line_color(theme, look), 2, styles[static_cast<std::size_t>(look) % styles.size()]};
}

void draw_point(QPainter& painter, const Theme& theme, Look look, PointState state, QPointF at) {
  if (state == PointState::missing) return draw_cross(painter, theme, at);
  const QColor color = state == PointState::faded ? theme.frame : line_color(theme, look);
  const bool hollow = state == PointState::hollow;
  painter.setPen(QPen(hollow                       ? theme.warning
                      : state == PointState::faded ? theme.frame
                                                   : theme.paper,
                      hollow ? 2 : 1));
  painter.setBrush(hollow ? QBrush(theme.paper) : QBrush(color));
  const QPolygonF shape = polygon(look, at);
  if (shape.isEmpty())
    painter.drawEllipse(at, half, half);
  else
    painter.drawPolygon(shape);
}

}  // namespace quintet::gui
