// Bars, each of parts that sum to its whole, one above the other on one scale.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "gui/drawing/plot/marks.h"
#include "gui/drawing/plot/plot_text.h"
#include "gui/drawing/theme.h"

namespace quintet::gui {

struct PartsBar {
  QString name, note;          // the note, smaller, says what it is
  QString whole;               // in words, behind the bar
  std::vector<double> parts;   // one per key, none below 0; empty: there is no bar yet
  std::vector<QString> texts;  // one per part, in it where there is room
  std::vector<QString> tips;   // one per part
  bool marked = false;         // the one that others are compared with
};

struct PartsPlot {
  QString title, unit;
  LegendKeys keys;
  std::vector<PartsBar> bars;
  QString empty = {};
};

// Marks have ids bar * 100 + part.
void draw(QPainter& painter, const QRectF& at, const Theme& theme, const PartsPlot& plot,
          std::optional<int> chosen = std::nullopt);
std::vector<Mark> marks(const PartsPlot& plot, const QRectF& at);

}  // namespace quintet::gui
