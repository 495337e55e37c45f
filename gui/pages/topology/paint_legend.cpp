#include "gui/pages/topology/paint_legend.h"

#include <algorithm>

#include "gui/pages/topology/paint_badges.h"

namespace quintet::gui {

namespace {

constexpr double wedge_width = 190, wedge_left = 14;

QString percent(double share) {
  return QString("%1 %").arg(share * 100, 0, 'g', 3);
}

// As thin and as pale as nothing at its left, as wide and as strong as the busiest at its right.
void paint_wedge(QPainter& painter, const QRectF& rect, const Theme& theme) {
  constexpr int steps = 48;
  painter.setPen(Qt::NoPen);
  for (int step = 0; step < steps; ++step) {
    const double share = (step + 0.5) / steps;
    const double height = 1 + (rect.height() - 1) * share;
    painter.setBrush(load_color(theme, share));
    painter.drawRect(QRectF(rect.left() + rect.width() * step / steps,
                            rect.center().y() - height / 2, rect.width() / steps + 0.6, height));
  }
}

void paint_scale(QPainter& painter, const QRectF& rect, const FabricPicture& picture,
                 const Theme& theme) {
  paint_wedge(painter, QRectF(wedge_left, rect.top() + 9, wedge_width, 8), theme);
  painter.setPen(theme.ink);
  for (const double at : {0.0, 0.5, 1.0}) {
    const double middle = wedge_left + wedge_width * at;
    const Qt::Alignment side = at == 0   ? Qt::AlignLeft
                               : at == 1 ? Qt::AlignRight
                                         : Qt::AlignHCenter;
    const double left = at == 0 ? middle : at == 1 ? middle - 60 : middle - 30;
    painter.drawText(QRectF(left, rect.top() + 19, 60, 14), side | Qt::AlignVCenter,
                     percent(picture.scale * at));
  }
  painter.setPen(theme.soft_ink);
  painter.drawText(
      QRectF(wedge_left, rect.top() + 34, rect.width() - wedge_left, 14),
      Qt::AlignLeft | Qt::AlignVCenter,
      "of a link's rate is used: the busiest link of a line; bars in closed boxes, the "
      "busiest inside, to 100 %");
}

}  // namespace

void paint_legend(QPainter& painter, const QRectF& rect, const FabricPicture& picture,
                  const Theme& theme) {
  painter.fillRect(rect, theme.panel);
  painter.setPen(QPen(theme.grid, 1));
  painter.drawLine(rect.topLeft(), rect.topRight());
  QFont font = painter.font();
  font.setPixelSize(11);
  painter.setFont(font);
  paint_scale(painter, rect, picture, theme);
  QPointF left(wedge_left + wedge_width + 36, rect.top() + 17);
  const auto say = [&](const QString& words) {
    painter.setFont(font);
    painter.setPen(theme.ink);
    const double width = painter.fontMetrics().horizontalAdvance(words);
    painter.drawText(QRectF(left.x(), left.y() - 8, width + 4, 16),
                     Qt::AlignLeft | Qt::AlignVCenter, words);
    left.rx() += width + 18;
  };
  const auto mark = [&](Badge::Shape shape, const char* words) {
    left.rx() += paint_badge(painter, left, {shape, {}}, theme) + 5;
    say(words);
  };
  painter.setPen(QPen(theme.frame, 1));
  painter.drawLine(left, left + QPointF(22, 0));
  left.rx() += 27;
  say("carries nothing");
  mark(Badge::Shape::cross, "failed");
  mark(Badge::Shape::triangle, "slow: rate left");
  mark(Badge::Shape::clock, "late: latency added");
}

}  // namespace quintet::gui
