#include "gui/drawing/plot/heat_map.h"

#include <QLinearGradient>
#include <algorithm>

#include "gui/drawing/plot/plot_text.h"
#include "gui/drawing/plot/scale.h"
#include "sim/picture/canvas.h"

namespace quintet::gui {

namespace {

constexpr double title_height = 24.0, bar_width = 16.0, label_height = 18.0;

// Where cells lie, and the scale of colours to their right.
struct HeatPlaces {
  QRectF cells, bar;
  double labels = 0.0;  // width of the values to the left
};

HeatPlaces places_of(const HeatMap& map, const QRectF& at) {
  const QFontMetricsF metrics(plot_font());
  double labels = metrics.horizontalAdvance(map.y_name);
  for (const QString& each : map.y) labels = std::max(labels, metrics.horizontalAdvance(each));
  labels = std::min(labels + 12.0, at.width() * 0.35);
  const QRectF cells =
      at.adjusted(labels, title_height + label_height + 4, -96.0, -2 * label_height - 6);
  const QRectF bar(cells.right() + 18.0, cells.top(), bar_width, cells.height());
  return {cells, bar, labels};
}

QRectF cell_at(const HeatMap& map, const QRectF& cells, std::size_t number) {
  const double width = cells.width() / static_cast<double>(map.x.size());
  const double height = cells.height() / static_cast<double>(map.y.size());
  // The first row is at the bottom, as on an axis.
  const auto column = static_cast<double>(number % map.x.size());
  const auto row = static_cast<double>(number / map.x.size());
  return {cells.left() + column * width, cells.bottom() - (row + 1.0) * height, width, height};
}

ValueRange range_of(const HeatMap& map) {
  std::vector<double> values;
  for (const HeatCell& cell : map.cells)
    if (cell.value) values.push_back(*cell.value);
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

double share(const ValueRange& range, double value) {
  if (range.high == range.low) return 0.5;
  return (value - range.low) / (range.high - range.low);
}

void draw_cell(QPainter& painter, const QRectF& at, const Theme& theme, const HeatCell& cell,
               const ValueRange& range) {
  const QColor color = cell.value ? load_color(theme, share(range, *cell.value)) : theme.panel;
  const QRectF box = at.adjusted(1, 1, -1, -1);
  painter.fillRect(box, color);
  const QColor ink = cell.value ? ink_on(color) : theme.soft_ink;
  if (!cell.fits || !cell.value) {
    QColor soft = cell.value ? ink : theme.frame;
    soft.setAlphaF(0.45F);
    painter.fillRect(box, QBrush(soft, Qt::BDiagPattern));
  }
  QString text = cell.text;
  if (cell.value && !cell.fits && at.height() > 36) text += "\ndoes not fit";
  painter.setFont(plot_font());
  const QRectF needed = painter.boundingRect(box, Qt::AlignCenter, text);
  if (!cell.fits || !cell.value)
    painter.fillRect(needed.intersected(box).adjusted(-2, 0, 2, 0), color);
  painter.setPen(ink);
  painter.save();
  painter.setClipRect(box);
  painter.drawText(box, Qt::AlignCenter, text);
  painter.restore();
  if (!cell.current) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(ink, 1.5, Qt::DashLine));
  painter.drawRect(box.adjusted(4, 4, -4, -4));
}

void draw_bar(QPainter& painter, const QRectF& bar, const Theme& theme, const ValueRange& range) {
  QLinearGradient gradient(bar.bottomLeft(), bar.topLeft());
  for (int i = 0; i <= 16; ++i) gradient.setColorAt(i / 16.0, load_color(theme, i / 16.0));
  painter.fillRect(bar, gradient);
  painter.setPen(QPen(theme.frame, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar);
  const std::vector<double> values = ticks(range.low, range.high, 6);
  const std::vector<QString> texts = tick_texts(values);
  painter.setPen(theme.soft_ink);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = bar.bottom() - share(range, values[i]) * bar.height();
    painter.drawLine(QPointF(bar.right(), y), QPointF(bar.right() + 4, y));
    draw_text(painter, {bar.right() + 7, y - 9, 54, 18}, Qt::AlignLeft | Qt::AlignVCenter,
              texts[i]);
  }
}

void draw_values(QPainter& painter, const QRectF& at, const Theme& theme, const HeatMap& map,
                 const HeatPlaces& places) {
  painter.setFont(plot_font());
  painter.setPen(theme.soft_ink);
  for (std::size_t i = 0; i < map.y.size(); ++i) {
    const QRectF cell = cell_at(map, places.cells, i * map.x.size());
    draw_text(painter, {at.left(), cell.center().y() - 9, places.labels - 8, 18},
              Qt::AlignRight | Qt::AlignVCenter, map.y[i]);
  }
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    const QRectF cell = cell_at(map, places.cells, i);
    draw_text(painter, {cell.left() + 1, places.cells.bottom() + 3, cell.width() - 2, label_height},
              Qt::AlignCenter, map.x[i]);
  }
  painter.setPen(theme.ink);
  draw_text(painter,
            {at.left(), places.cells.top() - label_height - 2, at.width() / 2, label_height},
            Qt::AlignLeft | Qt::AlignVCenter, map.y_name);
  draw_text(painter,
            {places.cells.left(), places.cells.bottom() + label_height + 3, places.cells.width(),
             label_height},
            Qt::AlignRight | Qt::AlignVCenter, map.x_name);
}

}  // namespace

std::optional<std::size_t> best_cell(const HeatMap& map) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const HeatCell& cell = map.cells[i];
    if (!cell.value || !cell.fits) continue;
    const bool better = !best || (map.less_is_better ? *cell.value < *map.cells[*best].value
                                                     : *cell.value > *map.cells[*best].value);
    if (better) best = i;
  }
  return best;
}

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const HeatMap& map,
          std::optional<int> chosen) {
  if (map.cells.empty()) return draw_empty(painter, at, theme, map.empty);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  const HeatPlaces places = places_of(map, at);
  const ValueRange range = range_of(map);
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  draw_text(painter, {at.left(), at.top(), at.width(), title_height}, Qt::AlignLeft, map.title);
  draw_values(painter, at, theme, map, places);
  for (std::size_t i = 0; i < map.cells.size(); ++i)
    draw_cell(painter, cell_at(map, places.cells, i), theme, map.cells[i], range);
  if (const auto best = best_cell(map)) {
    const QRectF box = cell_at(map, places.cells, *best).adjusted(2, 2, -2, -2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.paper, 5));
    painter.drawRect(box);
    painter.setPen(QPen(theme.ink, 2));
    painter.drawRect(box);
    painter.setFont(plot_font());
    painter.setPen(theme.soft_ink);
    draw_text(painter,
              {at.left() + at.width() / 2, places.cells.top() - label_height - 2,
               places.cells.right() - at.left() - at.width() / 2, label_height},
              Qt::AlignRight | Qt::AlignVCenter, "framed: the best that fits");
  }
  draw_bar(painter, places.bar, theme, range);
  for (std::size_t i = 0; i < map.cells.size(); ++i)
    if (chosen && map.cells[i].id == *chosen)
      draw_choice(painter, cell_at(map, places.cells, i).adjusted(3, 3, -3, -3), theme);
  painter.restore();
}

std::vector<Mark> marks(const HeatMap& map, const QRectF& at) {
  std::vector<Mark> all;
  if (map.cells.empty()) return all;
  const HeatPlaces places = places_of(map, at);
  for (std::size_t i = 0; i < map.cells.size(); ++i)
    all.push_back({cell_at(map, places.cells, i), map.cells[i].tip, map.cells[i].id});
  return all;
}

}  // namespace quintet::gui
