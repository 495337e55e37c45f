// Two axes with round ticks, names and units about the place where data is drawn.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <span>
#include <vector>

#include "gui/drawing/plot/scale.h"
#include "gui/drawing/theme.h"

namespace quintet::gui {

struct PlotAxis {
  QString name, unit;          // "step", "ms"
  std::vector<QString> words;  // of values that are no numbers: 0 is the first; empty: numbers are
  bool from_zero = false;
  std::vector<double> at = {};  // where ticks are to be; empty: at round numbers
};

struct PlotTick {
  double value = 0.0;
  QString text;
};

struct PlotFrame {
  QRectF data;  // pixels
  Scale x, y;
  std::vector<PlotTick> x_ticks, y_ticks;
};

// "step, ms"
QString axis_title(const PlotAxis& axis);

// Room for the labels, then the rest for data; `top`: pixels above it that are the caller's.
PlotFrame frame_of(const QRectF& at, const PlotAxis& x, const PlotAxis& y,
                   std::span<const double> x_values, std::span<const double> y_values, double top);

void draw_axes(QPainter& painter, const QRectF& at, const Theme& theme, const PlotFrame& frame,
               const PlotAxis& x, const PlotAxis& y);

}  // namespace quintet::gui
