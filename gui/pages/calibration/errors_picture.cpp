#include "gui/pages/calibration/errors_picture.h"

#include <fmt/format.h>

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>

namespace quintet::gui {

namespace {

constexpr double row_height = 22, top = 64, bottom = 44, name_width = 320, value_width = 150;

struct Row {
  const PartFit* fit;
  Residuals range;
  bool held_out;  // else recorded
  double width() const { return range.p95 - range.p05; }
};

std::vector<Row> rows_of(const std::vector<PartFit>& fits) {
  std::vector<Row> rows;
  for (const PartFit& fit : fits) {
    const bool held_out = fit.held_out.samples > 0;
    const Residuals& range = held_out ? fit.held_out : fit.part.recorded;
    if (range.samples > 0) rows.push_back({&fit, range, held_out});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.width() > b.width(); });
  return rows;
}

// Errors as they lie: in logarithms of 1 + error, held to a factor of five either way.
double place_of(double error, double left, double right) {
  constexpr double most = 1.61;  // log 5
  const double at = std::clamp(std::log(std::max(1 + error, 0.01)), -most, most);
  return left + (right - left) * (at + most) / (2 * most);
}

void draw_ticks(QPainter& painter, const Theme& theme, double left, double right, double from,
                double to) {
  constexpr std::array<std::pair<double, const char*>, 7> ticks{{{-0.75, "-75 %"},
                                                                 {-0.5, "-50 %"},
                                                                 {-0.2, "-20 %"},
                                                                 {0.0, "0"},
                                                                 {0.25, "+25 %"},
                                                                 {1.0, "+100 %"},
                                                                 {3.0, "+300 %"}}};
  for (const auto& [error, label] : ticks) {
    const double x = place_of(error, left, right);
    painter.setPen(QPen(error == 0 ? theme.soft_ink : theme.grid, 1));
    painter.drawLine(QPointF(x, from), QPointF(x, to));
    painter.setPen(theme.ink);
    painter.drawText(QRectF(x - 40, to + 4, 80, 18), Qt::AlignCenter, label);
  }
}

void draw_row(QPainter& painter, const Theme& theme, const Row& row, double y, double left,
              double right) {
  const QFontMetricsF metrics(painter.font());
  painter.setPen(theme.ink);
  painter.drawText(QRectF(16, y, name_width - 24, row_height), Qt::AlignRight | Qt::AlignVCenter,
                   metrics.elidedText(QString::fromStdString(row.fit->part.name), Qt::ElideMiddle,
                                      name_width - 24));
  const double low = place_of(row.range.p05, left, right),
               high = place_of(row.range.p95, left, right);
  const QRectF bar(low, y + 5, std::max(high - low, 2.0), row_height - 10);
  painter.setPen(QPen(color_of(theme, Look::blue).lighter(110), 1.5));
  painter.setBrush(row.held_out ? QBrush(color_of(theme, Look::sky)) : QBrush(Qt::NoBrush));
  painter.drawRect(bar);
  painter.setPen(theme.soft_ink);
  const std::string text =
      row.held_out
          ? fmt::format("{:.1f} % median of {}", 100 * row.fit->held_out_median, row.range.samples)
          : fmt::format("recorded of {}", row.range.samples);
  painter.drawText(QRectF(right + 12, y, value_width - 16, row_height),
                   Qt::AlignLeft | Qt::AlignVCenter, QString::fromStdString(text));
}

}  // namespace

void paint_errors(QPainter& painter, const QSizeF& size, const Theme& theme,
                  const std::vector<PartFit>& fits) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRectF({0, 0}, size), theme.paper);
  const std::vector<Row> rows = rows_of(fits);
  const double left = name_width, right = size.width() - value_width;
  const auto room =
      static_cast<std::size_t>(std::max(0.0, (size.height() - top - bottom) / row_height));
  const std::size_t shown = std::min(room, rows.size());
  QFont font = painter.font();
  font.setPointSizeF(12.5);
  font.setBold(true);
  painter.setFont(font);
  painter.setPen(theme.ink);
  painter.drawText(QRectF(18, 6, size.width() - 36, 24), Qt::AlignLeft | Qt::AlignVCenter,
                   "Held-out errors, measured / fit - 1: 5 to 95 %");
  font.setPointSizeF(9.5);
  font.setBold(false);
  painter.setFont(font);
  painter.setPen(theme.soft_ink);
  const std::string remark =
      shown < rows.size()
          ? fmt::format(
                "The {} furthest off of {}; full: left out one at a time here, hollow: as "
                "the table recorded",
                shown, rows.size())
          : std::string("Full: points left out one at a time here; hollow: as the table recorded");
  painter.drawText(QRectF(18, 30, size.width() - 36, 20), Qt::AlignLeft | Qt::AlignVCenter,
                   QString::fromStdString(remark));
  draw_ticks(painter, theme, left, right, top, top + static_cast<double>(shown) * row_height);
  for (std::size_t i = 0; i < shown; ++i)
    draw_row(painter, theme, rows[i], top + static_cast<double>(i) * row_height, left, right);
}

}  // namespace quintet::gui
