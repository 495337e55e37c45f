#include "gui/pages/plan/bar_drawing.h"

#include <QFontMetricsF>
#include <algorithm>

namespace quintet::gui {

double unit_of(const QSizeF& size) {
  return std::clamp(std::min(size.width() / 720.0, size.height() / 220.0), 0.92, 2.2);
}

QFont font_of(const QPainter& painter, double unit, bool bold) {
  QFont font = painter.font();
  font.setPixelSize(std::max(11, static_cast<int>(12 * unit)));
  font.setBold(bold);
  return font;
}

Fill fill_of(const Theme& theme, Look look) {
  const QBrush brush = brush_of(theme, look);
  return {brush.color(), brush.style()};
}

void fill_box(QPainter& painter, const QRectF& box, const Theme& theme, const Fill& fill) {
  if (fill.style == Qt::SolidPattern) {
    painter.fillRect(box, fill.color);
  } else {
    QColor pale = fill.color;
    pale.setAlphaF(0.4F);
    painter.fillRect(box, theme.paper);
    painter.fillRect(box, pale);
    painter.fillRect(box, QBrush(fill.color, fill.style));
  }
  painter.setPen(QPen(theme.paper, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
}

double draw_keys(QPainter& painter, const QRectF& place, const Theme& theme,
                 const std::vector<Key>& keys, double unit) {
  const QFont font = font_of(painter, unit * 0.92);
  const QFontMetricsF metrics(font);
  const double line = metrics.lineSpacing() + 2 * unit, swatch = 11 * unit, gap = 14 * unit;
  const auto width_of = [&](const Key& key) {
    return swatch + 5 * unit + metrics.horizontalAdvance(key.name) + gap;
  };
  int lines = 1;
  double x = 0;
  for (const Key& key : keys) {
    if (x > 0 && x + width_of(key) - gap > place.width()) ++lines, x = 0;
    x += width_of(key);
  }
  const double height = lines * line;
  double y = place.bottom() - height;
  x = 0;
  painter.setFont(font);
  for (const Key& key : keys) {
    if (x > 0 && x + width_of(key) - gap > place.width()) y += line, x = 0;
    const QRectF box(place.left() + x, y + (line - swatch) / 2, swatch, swatch);
    fill_box(painter, box, theme, key.fill);
    painter.setPen(theme.ink);
    painter.drawText(QPointF(box.right() + 5 * unit, y + (line + metrics.ascent()) / 2 - unit),
                     key.name);
    x += width_of(key);
  }
  return height;
}

void draw_title(QPainter& painter, const QRectF& place, const Theme& theme, const QString& title,
                const QString& says, double unit, bool warns) {
  const QFont bold = font_of(painter, unit, true), plain = font_of(painter, unit);
  painter.setPen(theme.ink);
  painter.setFont(bold);
  painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, title);
  const double taken = QFontMetricsF(bold).horizontalAdvance(title) + 12 * unit;
  painter.setPen(warns ? theme.warning : theme.soft_ink);
  painter.setFont(warns ? bold : plain);
  const QRectF rest = place.adjusted(taken, 0, 0, 0);
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(painter.font()).elidedText(says, Qt::ElideRight, rest.width()));
}

}  // namespace quintet::gui
