#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/pages/plan/bar_drawing.h"
#include "gui/pages/plan/plan_pictures.h"

namespace quintet::gui {

namespace {

QString milliseconds(Duration time) {
  return QString::fromStdString(
      fmt::format("{:.1f} ms", static_cast<double>(time.picoseconds) * 1e-9));
}

// Rows of level 0 by their order: computing, exposed communication, bubble, waiting, copy, host,
// idle.
constexpr std::array families{Look::blue,   Look::vermillion, Look::grey, Look::yellow,
                              Look::purple, Look::orange,     Look::green};

// The parts of a family from strong to pale.
Fill shade(const Theme& theme, Look look, int number) {
  Fill fill = fill_of(theme, look);
  const double pale = std::min(0.6, 0.16 * number);
  const auto mixed = [pale](int strong, int paper) {
    return static_cast<int>(std::lround(strong * (1 - pale) + paper * pale));
  };
  fill.color = QColor(mixed(fill.color.red(), theme.paper.red()),
                      mixed(fill.color.green(), theme.paper.green()),
                      mixed(fill.color.blue(), theme.paper.blue()));
  return fill;
}

struct Segment {
  std::size_t row = 0, family = 0;
  Fill fill;
};

// Of the row's sum among those of level 0.
std::size_t family_of(const std::vector<RowDifference>& rows, std::size_t row) {
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(row) + 1;
  const auto sums =
      std::count_if(rows.begin(), end, [](const RowDifference& each) { return each.level == 0; });
  return std::min(static_cast<std::size_t>(sums) - 1, families.size() - 1);
}

std::vector<Segment> segments(const Theme& theme, const std::vector<RowDifference>& rows) {
  std::vector<Segment> all;
  std::array<int, families.size()> numbers{};
  for (const std::size_t row : segments_of(rows)) {
    if (rows[row].before == Duration{} && rows[row].after == Duration{}) continue;
    const std::size_t family = family_of(rows, row);
    all.push_back({row, family, shade(theme, families[family], numbers[family]++)});
  }
  return all;
}

struct Bar {
  QString name;
  Duration RowDifference::*time;
};

void draw_bar(QPainter& painter, const QRectF& place, const Theme& theme, const StepBars& bars,
              const std::vector<Segment>& parts, const Bar& bar, double per_picosecond) {
  double x = place.left();
  const QFontMetricsF metrics(painter.font());
  for (const Segment& part : parts) {
    const RowDifference& row = bars.rows[part.row];
    const double width = static_cast<double>((row.*bar.time).picoseconds) * per_picosecond;
    const QRectF box(x, place.top(), width, place.height());
    x += width;
    if (width <= 0.3) continue;
    fill_box(painter, box, theme, part.fill);
    const QString name = QString::fromStdString(row.name);
    if (metrics.horizontalAdvance(name) + 6 > width || metrics.height() > place.height()) continue;
    const QColor ink = ink_on(part.fill.color);
    if (part.fill.style != Qt::SolidPattern) {
      const double text = metrics.horizontalAdvance(name) + 6;
      painter.fillRect(QRectF(box.center().x() - text / 2, box.center().y() - metrics.height() / 2,
                              text, metrics.height()),
                       part.fill.color);
    }
    painter.setPen(ink);
    painter.drawText(box, Qt::AlignCenter, name);
  }
}

std::vector<Key> keys_of(const StepBars& bars, const std::vector<Segment>& parts) {
  std::vector<Key> keys;
  for (const Segment& part : parts) {
    const RowDifference& row = bars.rows[part.row];
    if (std::max(row.before, row.after) < Duration{50'000'000}) continue;  // "0.0"
    std::string name =
        fmt::format("{}{} {:.1f}", families[part.family] == Look::vermillion ? "exposed " : "",
                    row.name, static_cast<double>(row.after.picoseconds) * 1e-9);
    const double difference = static_cast<double>(row.difference().picoseconds) * 1e-9;
    if (bars.has_before && std::abs(difference) >= 0.05)
      name += fmt::format(" ({:+.1f})", difference);
    keys.push_back({part.fill, QString::fromStdString(name)});
  }
  return keys;
}

QString says_of(const StepBars& bars) {
  if (bars.rows.empty()) return "nothing is predicted yet";
  const RowDifference& step = bars.rows.back();
  if (!bars.is_of_now) return milliseconds(step.after) + ", of the last plan that fitted";
  if (!bars.has_before) return milliseconds(step.after) + ", mean over ranks";
  return milliseconds(step.after) +
         QString::fromStdString(
             fmt::format(", {:+.1f} ms by the last change; keys: ms now (difference)",
                         static_cast<double>(step.difference().picoseconds) * 1e-9));
}

// The bars below each other, with their names before them and the step behind.
void draw_bars(QPainter& painter, const QRectF& place, const Theme& theme, const StepBars& bars,
               const std::vector<Segment>& parts, double unit) {
  std::vector<Bar> shown;
  if (bars.has_before) shown.push_back({"before", &RowDifference::before});
  shown.push_back({"now", &RowDifference::after});
  painter.setFont(font_of(painter, unit * 0.92));
  const QFontMetricsF metrics(painter.font());
  const RowDifference& step = bars.rows.back();
  const double names = metrics.horizontalAdvance("before") + 6 * unit;
  const double ends = std::max(metrics.horizontalAdvance(milliseconds(step.before)),
                               metrics.horizontalAdvance(milliseconds(step.after))) +
                      6 * unit;
  const auto longest =
      static_cast<double>(std::max({step.before, step.after, Duration{1}}).picoseconds);
  const double pitch =
      std::min(std::max(4.0, place.height()) / static_cast<double>(shown.size()), 48 * unit);
  const double width = place.width() - names - ends;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const QRectF bar(place.left() + names, place.top() + pitch * static_cast<double>(i), width,
                     std::max(2.0, pitch - 4 * unit));
    draw_bar(painter, bar, theme, bars, parts, shown[i], width / longest);
    painter.setPen(theme.ink);
    const double line = std::max(bar.height(), metrics.height());
    const double top = bar.center().y() - line / 2;
    painter.drawText(QRectF(place.left(), top, names - 6 * unit, line),
                     Qt::AlignRight | Qt::AlignVCenter, shown[i].name);
    const Duration time = step.*shown[i].time;
    const double end = bar.left() + width * static_cast<double>(time.picoseconds) / longest;
    painter.drawText(QRectF(end + 4 * unit, top, ends, line), Qt::AlignLeft | Qt::AlignVCenter,
                     milliseconds(time));
  }
}

}  // namespace

std::vector<std::size_t> segments_of(const std::vector<RowDifference>& rows) {
  std::vector<std::size_t> all;
  for (std::size_t row = 0; row + 1 < rows.size(); ++row)
    if (rows[row].level == 1 || rows[row + 1].level == 0) all.push_back(row);
  return all;
}

void paint_step(QPainter& painter, const QSizeF& size, const Theme& theme, const StepBars& bars) {
  painter.fillRect(QRectF({0, 0}, size), theme.paper);
  const double unit = unit_of(size), margin = 8 * unit, title = 18 * unit;
  const QRectF all = QRectF({0, 0}, size).adjusted(margin, 4 * unit, -margin, -4 * unit);
  draw_title(painter, {all.left(), all.top(), all.width() - 60, title}, theme,
             "Where the step goes", says_of(bars), unit, false);
  if (bars.rows.empty()) return;
  const std::vector<Segment> parts = segments(theme, bars.rows);
  const double keys = draw_keys(painter, all, theme, keys_of(bars, parts), unit);
  draw_bars(painter, all.adjusted(0, title + 4 * unit, 0, -keys - 4 * unit), theme, bars, parts,
            unit);
}

}  // namespace quintet::gui
