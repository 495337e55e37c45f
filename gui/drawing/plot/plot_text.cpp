#include "gui/drawing/plot/plot_text.h"

#include <QGuiApplication>
#include <algorithm>

namespace quintet::gui {

namespace {

constexpr double swatch = 12.0, gap = 16.0, row_height = 18.0;

struct KeyPlace {
  double x, y, width;
};

std::vector<KeyPlace> places_of(const LegendKeys& keys, double width) {
  const QFontMetricsF metrics(plot_font());
  std::vector<KeyPlace> places;
  double x = 0.0, y = 0.0;
  for (const auto& [look, name] : keys) {
    const double needs = swatch + 5.0 + metrics.horizontalAdvance(name) + gap;
    if (x > 0.0 && x + needs - gap > width) {
      x = 0.0;
      y += row_height;
    }
    places.push_back({x, y, std::min(needs - gap, width)});
    x += needs;
  }
  return places;
}

}  // namespace

QFont plot_font() {
  QFont font = QGuiApplication::font();
  font.setPixelSize(12);
  return font;
}

QFont plot_title_font() {
  QFont font = plot_font();
  font.setPixelSize(13);
  font.setBold(true);
  return font;
}

void draw_text(QPainter& painter, const QRectF& at, Qt::Alignment how, const QString& text) {
  const QString shown =
      QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, at.width() + 1.0);
  painter.drawText(at, static_cast<int>(how) | Qt::TextSingleLine, shown);
}

double legend_height(const LegendKeys& keys, double width) {
  const auto places = places_of(keys, width);
  return places.empty() ? 0.0 : places.back().y + row_height;
}

void draw_legend(QPainter& painter, const QRectF& at, const Theme& theme, const LegendKeys& keys) {
  const auto places = places_of(keys, at.width());
  painter.save();
  painter.setFont(plot_font());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const QPointF corner = at.topLeft() + QPointF(places[i].x, places[i].y);
    const QRectF box(corner + QPointF(0, 3), QSizeF(swatch, swatch));
    fill_look(painter, box, theme, keys[i].first);
    painter.setPen(QPen(theme.frame, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    painter.setPen(theme.ink);
    draw_text(painter, {corner + QPointF(swatch + 5, 0), QSizeF(places[i].width - swatch - 5, 18)},
              Qt::AlignLeft | Qt::AlignVCenter, keys[i].second);
  }
  painter.restore();
}

void fill_look(QPainter& painter, const QRectF& box, const Theme& theme, Look look) {
  const QColor color = color_of(theme, look);
  const Qt::BrushStyle style = brush_of(theme, look).style();
  painter.fillRect(box, color);
  if (style != Qt::SolidPattern) painter.fillRect(box, QBrush(color.darker(145), style));
}

void draw_choice(QPainter& painter, const QRectF& about, const Theme& theme) {
  painter.save();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.paper, 4));
  painter.drawRect(about.adjusted(-2, -2, 2, 2));
  painter.setPen(QPen(theme.accent, 2));
  painter.drawRect(about.adjusted(-2, -2, 2, 2));
  painter.restore();
}

void draw_empty(QPainter& painter, const QRectF& at, const Theme& theme, const QString& text) {
  painter.save();
  painter.setFont(plot_font());
  painter.setPen(theme.soft_ink);
  painter.drawText(at.adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, text);
  painter.restore();
}

}  // namespace quintet::gui
