#include "gui/drawing/plot/axes.h"

#include <algorithm>

#include "gui/drawing/plot/plot_text.h"
#include "sim/picture/canvas.h"

namespace quintet::gui {

namespace {

constexpr double letter_height = 16.0;

ValueRange range_of(const PlotAxis& axis, std::span<const double> values, int most) {
  if (!axis.words.empty()) return {-0.5, static_cast<double>(axis.words.size()) - 0.5};
  if (axis.at.empty()) return round_range(values, axis.from_zero, most);
  const auto [low, high] = std::minmax_element(axis.at.begin(), axis.at.end());
  const double margin = *low == *high ? 0.5 : (*high - *low) * 0.06;
  return {*low - margin, *high + margin};
}

std::vector<PlotTick> ticks_of(const PlotAxis& axis, const ValueRange& range, int most) {
  std::vector<PlotTick> all;
  for (std::size_t i = 0; i < axis.words.size(); ++i)
    all.push_back({static_cast<double>(i), axis.words[i]});
  if (!all.empty()) return all;
  if (!axis.at.empty()) {
    for (const double value : axis.at) all.push_back({value, number_text(value)});
    return all;
  }
  const std::vector<double> values = ticks(range.low, range.high, most);
  const std::vector<QString> texts = tick_texts(values);
  for (std::size_t i = 0; i < values.size(); ++i) all.push_back({values[i], texts[i]});
  return all;
}

double widest(const std::vector<PlotTick>& ticks) {
  const QFontMetricsF metrics(plot_font());
  double most = 0.0;
  for (const PlotTick& tick : ticks) most = std::max(most, metrics.horizontalAdvance(tick.text));
  return most;
}

void draw_y(QPainter& painter, const QRectF& at, const Theme& theme, const PlotFrame& frame) {
  for (const PlotTick& tick : frame.y_ticks) {
    const double y = frame.y.at(tick.value);
    painter.setPen(QPen(theme.grid, 1));
    painter.drawLine(QPointF(frame.data.left(), y), QPointF(frame.data.right(), y));
    painter.setPen(theme.soft_ink);
    draw_text(painter, {at.left(), y - 9, frame.data.left() - at.left() - 6, 18},
              Qt::AlignRight | Qt::AlignVCenter, tick.text);
  }
}

// Labels that would touch the one before are left out; ticks stay.
void draw_x(QPainter& painter, const Theme& theme, const PlotFrame& frame) {
  const QFontMetricsF metrics(plot_font());
  double free_from = -1e9;
  for (const PlotTick& tick : frame.x_ticks) {
    const double x = frame.x.at(tick.value);
    painter.setPen(QPen(theme.frame, 1));
    painter.drawLine(QPointF(x, frame.data.bottom()), QPointF(x, frame.data.bottom() + 4));
    const double width = metrics.horizontalAdvance(tick.text) + 2;
    if (x - width / 2 < free_from) continue;
    painter.setPen(theme.soft_ink);
    draw_text(painter, {x - width / 2, frame.data.bottom() + 5, width, letter_height},
              Qt::AlignCenter, tick.text);
    free_from = x + width / 2 + 6;
  }
}

}  // namespace

QString axis_title(const PlotAxis& axis) {
  return axis.unit.isEmpty() ? axis.name : axis.name + ", " + axis.unit;
}

PlotFrame frame_of(const QRectF& at, const PlotAxis& x, const PlotAxis& y,
                   std::span<const double> x_values, std::span<const double> y_values, double top) {
  const int most_y = std::clamp(static_cast<int>(at.height() / 45.0), 2, 8);
  const int most_x = std::clamp(static_cast<int>(at.width() / 90.0), 2, 10);
  PlotFrame frame;
  frame.y.values = range_of(y, y_values, most_y);
  frame.x.values = range_of(x, x_values, most_x);
  frame.y_ticks = ticks_of(y, frame.y.values, most_y);
  frame.x_ticks = ticks_of(x, frame.x.values, most_x);
  const double left = std::min(widest(frame.y_ticks) + 12.0, at.width() * 0.4);
  const double bottom = 2 * letter_height + 8.0;
  const double named = axis_title(y).isEmpty() ? 0.0 : letter_height;
  frame.data = at.adjusted(left, top + named + 6.0, -14.0, -bottom);
  frame.x.from = frame.data.left();
  frame.x.to = frame.data.right();
  frame.y.from = frame.data.bottom();
  frame.y.to = frame.data.top();
  return frame;
}

void draw_axes(QPainter& painter, const QRectF& at, const Theme& theme, const PlotFrame& frame,
               const PlotAxis& x, const PlotAxis& y) {
  painter.save();
  painter.setFont(plot_font());
  draw_y(painter, at, theme, frame);
  draw_x(painter, theme, frame);
  painter.setPen(QPen(theme.frame, 1));
  painter.drawLine(frame.data.bottomLeft(), frame.data.bottomRight());
  painter.drawLine(frame.data.bottomLeft(), frame.data.topLeft());
  painter.setPen(theme.ink);
  draw_text(painter, {at.left(), frame.data.top() - letter_height - 6, at.width(), letter_height},
            Qt::AlignLeft | Qt::AlignVCenter, axis_title(y));
  draw_text(painter,
            {frame.data.left(), at.bottom() - letter_height - 1, frame.data.width(), letter_height},
            Qt::AlignRight | Qt::AlignVCenter, axis_title(x));
  painter.restore();
}

}  // namespace quintet::gui
