#include "gui/timeline/paint_passes.h"

#include <algorithm>

#include "gui/timeline/scene.h"

namespace quintet::gui {

namespace {

constexpr int ruler = 24, row_height = 22, title_height = 20, keys_height = 24;

QFont sized(const QPainter& painter, int pixels, bool bold = false) {
  QFont font = painter.font();
  font.setPixelSize(pixels);
  font.setBold(bold);
  return font;
}

void fill(QPainter& painter, const QRect& box, const Theme& theme, Look look) {
  painter.fillRect(box, color_of(theme, look));
  QBrush hatch = brush_of(theme, look);
  hatch.setColor(color_of(theme, look).darker(118));
  if (hatch.style() != Qt::SolidPattern && box.width() >= 6) painter.fillRect(box, hatch);
  if (box.width() >= 4)
    painter.fillRect(QRect(box.left(), box.top(), 1, box.height()),
                     color_of(theme, look).darker(140));
}

void paint_scale(QPainter& painter, const QRect& at, const Theme& theme, const PixelScale& scale) {
  painter.fillRect(QRect(0, at.top(), at.right() + 1, at.height()), theme.panel);
  painter.setFont(sized(painter, 12));
  for (const RulerTick& tick : ruler_ticks(scale, 110)) {
    const int x = at.left() + scale.pixel(tick.time);
    if (x < at.left() || x > at.right()) continue;
    painter.fillRect(QRect(x, at.bottom() - 6, 1, 7), theme.soft_ink);
    painter.setPen(theme.ink);
    if (x + 4 + painter.fontMetrics().horizontalAdvance(tick.text) < at.right())
      painter.drawText(QRect(x + 4, at.top(), 106, at.height() - 2),
                       Qt::AlignLeft | Qt::AlignVCenter, tick.text);
  }
  painter.setPen(theme.soft_ink);
  painter.drawText(QRect(0, at.top(), at.left() - 10, at.height() - 2),
                   Qt::AlignRight | Qt::AlignVCenter, "in the bubble");
}

void paint_grid(QPainter& painter, const QRect& area, const Theme& theme, const NamedGrid& named,
                const PixelScale& scale) {
  painter.setFont(sized(painter, 12));
  for (std::size_t row = 0; row < named.grid->rows.size(); ++row) {
    const int top = area.top() + static_cast<int>(row) * row_height;
    painter.fillRect(QRect(area.left(), top + 1, area.width(), row_height - 4), theme.panel);
    painter.fillRect(QRect(area.left(), top + 1, area.width(), row_height - 4),
                     QBrush(theme.frame, Qt::BDiagPattern));
    painter.setPen(theme.ink);
    painter.drawText(QRect(8, top, area.left() - 16, row_height - 2),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QString::fromStdString(named.grid->rows[row].name));
    painter.drawText(QRect(0, top, area.left() - 10, row_height - 2),
                     Qt::AlignRight | Qt::AlignVCenter,
                     QString::fromStdString(named.grid->rows[row].note));
  }
  painter.save();
  painter.setClipRect(area);
  for (const DrawnPass& pass : named.grid->passes) {
    // The grid's times are milliseconds.
    const auto pixel = [&](double time) {
      return scale.pixel(static_cast<std::int64_t>(time * 1e9) + named.shift.picoseconds);
    };
    const int left = area.left() + pixel(pass.begin);
    const int right = std::max(left + 1, area.left() + pixel(pass.end));
    if (right < area.left() || left > area.right()) continue;
    const QRect box(left, area.top() + static_cast<int>(pass.row) * row_height + 1, right - left,
                    row_height - 4);
    fill(painter, box, theme, pass.look);
    const QString text =
        QString::fromStdString(pass.label.empty() ? pass.kind : pass.kind + pass.label);
    if (painter.fontMetrics().horizontalAdvance(text) + 4 > box.width()) continue;
    painter.setPen(ink_on(color_of(theme, pass.look)));
    painter.drawText(box, Qt::AlignCenter, text);
  }
  painter.restore();
}

void paint_keys(QPainter& painter, const QRect& at, const Theme& theme, const PassGrid& grid) {
  painter.setFont(sized(painter, 12));
  int x = 8;
  const auto entry = [&](const QString& text) {
    painter.setPen(theme.ink);
    const int width = painter.fontMetrics().horizontalAdvance(text);
    painter.drawText(QRect(x + 19, at.top(), width + 4, at.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
    x += width + 36;
  };
  for (const auto& [look, name] : grid.keys) {
    fill(painter, QRect(x, at.center().y() - 6, 14, 12), theme, look);
    entry(QString::fromStdString(name));
  }
  const QRect empty(x, at.center().y() - 6, 14, 12);
  painter.fillRect(empty, theme.panel);
  painter.fillRect(empty, QBrush(theme.frame, Qt::BDiagPattern));
  entry("bubble or communication");
}

}  // namespace

int height_of_grids(const std::vector<NamedGrid>& grids) {
  int height = ruler + keys_height + 6;
  for (const NamedGrid& each : grids)
    height += static_cast<int>(each.grid->rows.size()) * row_height +
              (grids.size() > 1 ? title_height : 0);
  return height;
}

void paint_passes(QPainter& painter, QSize size, const Theme& theme,
                  const std::vector<NamedGrid>& grids, const TimeWindow& window, int left) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(QRect(QPoint(0, 0), size), theme.paper);
  painter.setPen(theme.soft_ink);
  if (grids.empty()) {
    painter.drawText(QRect(QPoint(0, 0), size), Qt::AlignCenter,
                     "One stage only: there is no pipeline to draw");
    painter.restore();
    return;
  }
  const QRect axis(left, 0, std::max(size.width() - left, 1), ruler);
  const PixelScale scale = scale_of(window, axis.width());
  paint_scale(painter, axis, theme, scale);
  int top = ruler + 2;
  for (const NamedGrid& each : grids) {
    if (grids.size() > 1) {
      painter.setFont(sized(painter, 12, true));
      painter.setPen(theme.ink);
      painter.drawText(QRect(8, top, size.width(), title_height), Qt::AlignLeft | Qt::AlignVCenter,
                       each.name);
      top += title_height;
    }
    const int height = static_cast<int>(each.grid->rows.size()) * row_height;
    paint_grid(painter, {left, top, axis.width(), height}, theme, each, scale);
    top += height;
  }
  paint_keys(painter, {0, top + 2, size.width(), keys_height}, theme, *grids.front().grid);
  painter.restore();
}

namespace {

Look look_of(PathKind kind) {
  switch (kind) {
    case PathKind::compute:
      return Look::blue;
    case PathKind::moving:
      return Look::vermillion;
    case PathKind::waiting:
      return Look::yellow;
    case PathKind::copy:
      return Look::green;
    case PathKind::host:
    case PathKind::nothing:
      return Look::grey;
  }
  return Look::grey;
}

}  // namespace

// A line for each, as long as its share of the step.
void paint_path_shares(QPainter& painter, QSize size, const Theme& theme,
                       const std::vector<PathShare>& shares) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(QRect(QPoint(0, 0), size), theme.paper);
  double sum = 0;
  for (const PathShare& each : shares) sum += seconds(each.time).value;
  const double longest = shares.empty() ? 1 : seconds(shares.front().time).value;
  constexpr int names = 220, numbers = 190;
  const int lines = std::max<int>(static_cast<int>(shares.size()), 1);
  const int line = std::clamp((size.height() - 60) / lines, 14, 64);
  painter.setPen(theme.ink);
  painter.setFont(sized(painter, 14, true));
  painter.drawText(
      QRect(12, 8, size.width() - 24, 30), Qt::AlignLeft | Qt::AlignVCenter,
      QString("Critical path: %1, all of the step").arg(length_text(duration(Seconds{sum}))));
  painter.setFont(sized(painter, 12));
  for (std::size_t number = 0; number < shares.size(); ++number) {
    const PathShare& each = shares[number];
    const int top = 46 + static_cast<int>(number) * line;
    const double share = seconds(each.time).value;
    const int room = std::max(size.width() - names - numbers - 24, 1);
    painter.setPen(theme.ink);
    painter.drawText(QRect(12, top, names - 12, line - 4), Qt::AlignLeft | Qt::AlignVCenter,
                     QString::fromStdString(each.name));
    const int width = std::max(1, static_cast<int>(room * share / longest));
    fill(painter, {names + 8, top, width, line - 4}, theme, look_of(each.kind));
    painter.drawText(
        QRect(names + 16 + width, top, numbers, line - 4), Qt::AlignLeft | Qt::AlignVCenter,
        QString("%1, %2 %").arg(length_text(each.time)).arg(100 * share / sum, 0, 'f', 2));
  }
  painter.restore();
}

}  // namespace quintet::gui
