#include "gui/drawing/plot/xy_plot.h"

#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "gui/drawing/plot/plot_text.h"
#include "gui/drawing/plot/point_shapes.h"

namespace quintet::gui {

namespace {

constexpr double title_height = 20.0, reach = 7.0, series_key = 26.0;

bool has_value(const PlotPoint& point) {
  return point.state != PointState::missing;
}

PlotFrame frame_of(const QRectF& at, const XyPlot& plot) {
  std::vector<double> x, y;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      x.push_back(point.x);
      if (has_value(point)) y.push_back(point.y);
    }
  return frame_of(at, plot.x, plot.y, x, y, plot.title.isEmpty() ? 0.0 : title_height);
}

QPointF place_of(const PlotFrame& frame, const PlotPoint& point) {
  const double y = has_value(point) ? frame.y.at(point.y) : frame.data.bottom() - 8.0;
  return {frame.x.at(point.x), y};
}

void draw_line(QPainter& painter, const Theme& theme, const PlotFrame& frame,
               const PlotSeries& series) {
  if (!series.line) return;
  std::vector<QPointF> places;
  for (const PlotPoint& point : series.points)
    if (has_value(point)) places.push_back(place_of(frame, point));
  std::stable_sort(places.begin(), places.end(),
                   [](QPointF left, QPointF right) { return left.x() < right.x(); });
  painter.setPen(series_pen(theme, series.look));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(QPolygonF(QList<QPointF>(places.begin(), places.end())));
}

// Beside its point, where neither the frame nor an earlier label is in the way.
void draw_label(QPainter& painter, const Theme& theme, const PlotFrame& frame,
                const PlotPoint& point, std::vector<QRectF>& taken) {
  const QFontMetricsF metrics(plot_font());
  const QPointF at = place_of(frame, point);
  const QSizeF size(metrics.horizontalAdvance(point.label) + 2, 15);
  for (const QPointF corner :
       {at + QPointF(9, -16), at + QPointF(-9 - size.width(), -16), at + QPointF(9, 3),
        at + QPointF(-9 - size.width(), 3), at + QPointF(-size.width() / 2, -24)}) {
    const QRectF box(corner, size);
    const bool free = frame.data.adjusted(0, -8, 12, 0).contains(box) &&
                      std::none_of(taken.begin(), taken.end(),
                                   [&](const QRectF& other) { return other.intersects(box); });
    if (!free) continue;
    taken.push_back(box);
    painter.setPen(theme.ink);
    draw_text(painter, box, Qt::AlignLeft | Qt::AlignVCenter, point.label);
    return;
  }
}

void draw_labels(QPainter& painter, const Theme& theme, const PlotFrame& frame,
                 const XyPlot& plot) {
  std::vector<QRectF> taken;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      const QPointF at = place_of(frame, point);
      taken.emplace_back(at - QPointF(5, 5), QSizeF(10, 10));
    }
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      if (!point.label.isEmpty()) draw_label(painter, theme, frame, point, taken);
}

void draw_points(QPainter& painter, const Theme& theme, const PlotFrame& frame,
                 const PlotSeries& series) {
  for (const PlotPoint& point : series.points) {
    const QPointF at = place_of(frame, point);
    draw_point(painter, theme, series.look, point.state, at);
    if (!point.current) continue;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.ink, 1.5));
    painter.drawEllipse(at, 10, 10);
  }
}

void draw_panel(QPainter& painter, const QRectF& at, const Theme& theme, const XyPlot& plot,
                std::optional<int> chosen) {
  const PlotFrame frame = frame_of(at, plot);
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  draw_text(painter, {at.left(), at.top(), at.width(), title_height}, Qt::AlignLeft, plot.title);
  draw_axes(painter, at, theme, frame, plot.x, plot.y);
  painter.setFont(plot_font());
  painter.setPen(theme.soft_ink);
  draw_text(painter, {frame.data.left() + 8, frame.data.top() + 2, frame.data.width() - 16, 16},
            Qt::AlignRight | Qt::AlignVCenter, plot.hint);
  for (const PlotSeries& series : plot.series) draw_line(painter, theme, frame, series);
  for (const PlotSeries& series : plot.series) draw_points(painter, theme, frame, series);
  draw_labels(painter, theme, frame, plot);
  if (!chosen) return;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      if (point.id == *chosen)
        draw_choice(painter, {place_of(frame, point) - QPointF(7, 7), QSizeF(14, 14)}, theme);
}

// What the legend explains: series where there are several.
std::vector<const PlotSeries*> legend_of(const XyPanels& panels) {
  std::vector<const PlotSeries*> all;
  for (const PlotSeries& series : panels.panels.front().series)
    if (!series.name.isEmpty()) all.push_back(&series);
  return all;
}

double key_width(const PlotSeries& series) {
  return series_key + 6.0 + QFontMetricsF(plot_font()).horizontalAdvance(series.name) + 18.0;
}

double keys_height(const std::vector<const PlotSeries*>& keys, double width) {
  double x = 0.0, height = keys.empty() ? 0.0 : 20.0;
  for (const PlotSeries* each : keys) {
    if (x > 0.0 && x + key_width(*each) > width) {
      x = 0.0;
      height += 20.0;
    }
    x += key_width(*each);
  }
  return height;
}

void draw_keys(QPainter& painter, const QRectF& at, const Theme& theme,
               const std::vector<const PlotSeries*>& keys) {
  QPointF corner = at.topLeft();
  painter.setFont(plot_font());
  for (const PlotSeries* each : keys) {
    if (corner.x() > at.left() && corner.x() + key_width(*each) > at.right() + 1)
      corner = {at.left(), corner.y() + 20.0};
    const QPointF middle = corner + QPointF(series_key / 2, 9);
    if (each->line) {
      painter.setPen(series_pen(theme, each->look));
      painter.drawLine(middle - QPointF(13, 0), middle + QPointF(13, 0));
    }
    const PointState state = each->points.empty() || each->line || !has_value(each->points.front())
                                 ? PointState::usual
                                 : each->points.front().state;
    draw_point(painter, theme, each->look, state, middle);
    painter.setPen(theme.ink);
    draw_text(painter, {corner + QPointF(series_key + 6, 0), QSizeF(key_width(*each), 18)},
              Qt::AlignLeft | Qt::AlignVCenter, each->name);
    corner += QPointF(key_width(*each), 0);
  }
}

QRectF below_legend(const QRectF& at, const XyPanels& panels) {
  const double legend = keys_height(legend_of(panels), at.width());
  return at.adjusted(0, legend > 0.0 ? legend + 6.0 : 0.0, 0, 0);
}

}  // namespace

std::vector<QRectF> panel_places(const QRectF& at, std::size_t count) {
  if (count == 0) return {};
  // The number of columns that leaves panels nearest to 3 : 2.
  std::size_t columns = 1;
  double least = 1e9;
  for (std::size_t some = 1; some <= count; ++some) {
    const auto rows = static_cast<double>((count + some - 1) / some);
    const double shape = at.width() / static_cast<double>(some) / (at.height() / rows);
    if (std::abs(std::log(shape / 1.5)) >= least) continue;
    least = std::abs(std::log(shape / 1.5));
    columns = some;
  }
  const std::size_t rows = (count + columns - 1) / columns;
  constexpr double between = 18.0;
  const double width =
      (at.width() - between * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const double height =
      (at.height() - between * static_cast<double>(rows - 1)) / static_cast<double>(rows);
  std::vector<QRectF> places;
  for (std::size_t i = 0; i < count; ++i)
    places.emplace_back(at.left() + static_cast<double>(i % columns) * (width + between),
                        at.top() + static_cast<double>(i / columns) * (height + between), width,
                        height);
  return places;
}

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const XyPanels& panels,
          std::optional<int> chosen) {
  if (panels.panels.empty()) return draw_empty(painter, at, theme, panels.empty);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  draw_keys(painter, at, theme, legend_of(panels));
  const auto places = panel_places(below_legend(at, panels), panels.panels.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    draw_panel(painter, places[i], theme, panels.panels[i], chosen);
  painter.restore();
}

std::vector<Mark> marks(const XyPanels& panels, const QRectF& at) {
  std::vector<Mark> all;
  if (panels.panels.empty()) return all;
  const auto places = panel_places(below_legend(at, panels), panels.panels.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PlotFrame frame = frame_of(places[i], panels.panels[i]);
    for (const PlotSeries& series : panels.panels[i].series)
      for (const PlotPoint& point : series.points)
        all.push_back(
            {{place_of(frame, point) - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach)},
             point.tip,
             point.id});
  }
  return all;
}

}  // namespace quintet::gui
