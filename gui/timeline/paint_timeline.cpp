#include "gui/timeline/paint_timeline.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <cmath>

#include "gui/timeline/scan_painter.h"

namespace quintet::gui {

namespace {

QRect bars_area(const TimelineFrame& frame) {
  return {frame.rows.left(), frame.pinned.top(), frame.rows.width(),
          frame.rows.top() + frame.rows.height() - frame.pinned.top()};
}

QColor mixed(const QColor& one, const QColor& other, double share) {
  return QColor::fromRgbF(
      static_cast<float>(one.redF() + (other.redF() - one.redF()) * share),
      static_cast<float>(one.greenF() + (other.greenF() - one.greenF()) * share),
      static_cast<float>(one.blueF() + (other.blueF() - one.blueF()) * share));
}

// Behind the bars: measured rows are told from predicted ones, tracks by lines.
void paint_backs(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const Scene& scene, const TimelineView& view) {
  const bool both = scene.sources.size() > 1;
  for_seen_rows(frame, view, [&](std::size_t place, int top, const QRect& area) {
    const SceneRow& row = scene.rows[row_at_place(view, place)];
    const QRect line(area.left(), top, area.width(), frame.row_height);
    if (both && scene.sources[row.source].measured)
      painter.fillRect(line & area, mixed(theme.panel, theme.grid, 0.6));
    if (row.first && frame.row_height >= 6 && top > area.top())
      painter.fillRect(QRect(area.left(), top - 1, area.width(), 1), theme.frame);
  });
  if (frame.pinned.height() > 0)
    painter.fillRect(QRect(frame.rows.left(), frame.rows.top() - 3, frame.rows.width(), 3),
                     theme.frame);
}

bool draws_pixels(const QPainter& painter) {
  const QPaintEngine* engine = painter.paintEngine();
  return engine != nullptr && engine->type() == QPaintEngine::Raster;
}

}  // namespace

QImage bars_image(QSize size, const Theme& theme, const Scene& scene, const TimelineView& view,
                  double ratio) {
  const TimelineFrame frame(size, view);
  const QRect area = bars_area(frame);
  const auto device = [ratio](double at) { return static_cast<int>(std::lround(at * ratio)); };
  QImage image(device(area.width()), device(area.height()), QImage::Format_RGB32);
  image.fill(theme.paper);
  image.setDevicePixelRatio(ratio);
  QPainter backs(&image);
  backs.translate(-area.topLeft());
  paint_backs(backs, frame, theme, scene, view);
  backs.end();
  const BarTiles tiles(theme);
  ScanPainter lines(image, tiles);
  const PixelScale scale = scale_of(view.window, image.width());
  for_seen_rows(frame, view, [&](std::size_t place, int top, const QRect& rows) {
    const int from = std::max(top, rows.top());
    const int to = std::min(top + frame.bar_height(), rows.top() + rows.height());
    if (from >= to) return;
    lines.paint_row(scene.bars, row_at_place(view, place), scale, 0, device(from - area.top()),
                    std::max(1, device(to - area.top()) - device(from - area.top())));
  });
  QPainter names(&image);
  names.translate(-area.topLeft());
  paint_names(names, frame, theme, scene, view);
  return image;
}

void paint_timeline(QPainter& painter, QSize size, const Theme& theme, const Scene& scene,
                    const TimelineView& view, const QImage* bars) {
  painter.save();
  const TimelineFrame frame(size, view);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(QRect(QPoint(0, 0), size), theme.paper);
  if (bars != nullptr) {
    painter.drawImage(bars_area(frame).topLeft(), *bars);
  } else if (draws_pixels(painter)) {
    const double ratio = painter.device()->devicePixelRatioF();
    painter.drawImage(bars_area(frame).topLeft(), bars_image(size, theme, scene, view, ratio));
  } else {
    paint_backs(painter, frame, theme, scene, view);
    paint_bars_as_vectors(painter, frame, theme, scene, view);
    paint_names(painter, frame, theme, scene, view);
  }
  paint_labels(painter, frame, theme, scene, view);
  paint_ruler(painter, frame, theme, view);
  paint_minimap(painter, frame, theme, scene, view);
  if (view.path) paint_path(painter, frame, theme, scene, view);
  paint_messages(painter, frame, theme, scene, view);
  paint_chosen(painter, frame, theme, scene, view);
  paint_legend(painter, frame, theme, view);
  painter.restore();
}

}  // namespace quintet::gui
