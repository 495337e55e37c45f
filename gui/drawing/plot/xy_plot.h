// Points and lines over two axes. Series differ in colour, shape and dashes.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "gui/drawing/plot/axes.h"
#include "gui/drawing/plot/marks.h"
#include "gui/drawing/theme.h"

namespace quintet::gui {

// How a point is drawn: filled; grey, as something else is better; hollow, as it does not fit; a
// cross on the axis below, as it has no value (`y` means nothing).
enum class PointState { usual, faded, hollow, missing };

struct PlotPoint {
  double x = 0.0, y = 0.0;
  QString label;  // beside it; empty: none
  QString tip;
  int id = 0;
  PointState state = PointState::usual;
  bool current = false;  // ringed: what is open now
};

struct PlotSeries {
  QString name;
  Look look = Look::blue;
  std::vector<PlotPoint> points;
  bool line = true;
};

struct XyPlot {
  QString title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  // What a corner says of it: "towards the lower left is better".
  QString hint = {};
};

// Several beside each other, in as many columns as leaves them broad; one legend.
struct XyPanels {
  std::vector<XyPlot> panels;
  QString empty;  // said where there are none
};

// Where each panel lies.
std::vector<QRectF> panel_places(const QRectF& at, std::size_t count);

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const XyPanels& panels,
          std::optional<int> chosen = std::nullopt);
std::vector<Mark> marks(const XyPanels& panels, const QRectF& at);

}  // namespace quintet::gui
