// How often values lie where.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "gui/drawing/plot/axes.h"
#include "gui/drawing/plot/marks.h"
#include "gui/drawing/theme.h"

namespace quintet::gui {

struct HistogramBin {
  double low = 0.0, high = 0.0;  // low <= value < high; the last has its high, too
  int count = 0;
  bool operator==(const HistogramBin&) const = default;
};

// With round borders, at most a few more than `most`; none of nothing.
std::vector<HistogramBin> bins_of(std::span<const double> values, int most);

struct Histogram {
  QString title;
  PlotAxis x;
  QString counted;  // "operators": what is counted
  std::vector<HistogramBin> bins;
  Look look = Look::blue;
  QString empty = {};
};

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const Histogram& histogram,
          std::optional<int> chosen = std::nullopt);
// Ids count the bins.
std::vector<Mark> marks(const Histogram& histogram, const QRectF& at);

}  // namespace quintet::gui
