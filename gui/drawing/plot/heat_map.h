// A number for each pair of two fields' values: as a colour and as text. The best is framed.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "gui/drawing/plot/marks.h"
#include "gui/drawing/theme.h"

namespace quintet::gui {

struct HeatCell {
  std::optional<double> value;  // none: there is none, and `text` says why in a word
  QString text, tip;
  int id = 0;
  bool fits = true;      // false: hatched
  bool current = false;  // ringed: what is open now
};

struct HeatMap {
  QString title;                 // with the unit
  QString x_name, y_name;        // of the fields
  std::vector<QString> x, y;     // their values
  std::vector<HeatCell> cells;   // y.size() rows of x.size()
  bool less_is_better = true;
  QString empty = {};            // said where there are no cells
};

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const HeatMap& map,
          std::optional<int> chosen = std::nullopt);
std::vector<Mark> marks(const HeatMap& map, const QRectF& at);

// Among those that fit; none where none does.
std::optional<std::size_t> best_cell(const HeatMap& map);

}  // namespace quintet::gui
