// Any of the pictures of this room: how it is drawn and what of it can be pointed at.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "gui/drawing/plot/marks.h"
#include "gui/drawing/theme.h"

namespace quintet::gui {

struct Plot {
  std::function<void(QPainter&, const QRectF&, const Theme&, std::optional<int> chosen)> draw;
  std::function<std::vector<Mark>(const QRectF&)> marks;
};

// Of an XyPanels, HeatMap, PartsPlot, Histogram.
template <class Picture>
Plot plot_of(Picture picture) {
  Plot plot;
  plot.draw = [picture](QPainter& painter, const QRectF& at, const Theme& theme,
                        std::optional<int> chosen) { draw(painter, at, theme, picture, chosen); };
  plot.marks = [picture = std::move(picture)](const QRectF& at) { return marks(picture, at); };
  return plot;
}

// Within a margin.
QRectF plot_place(const QSizeF& size);

// All of it, paper included: what widgets and exports show.
void paint_plot(QPainter& painter, const QSizeF& size, const Theme& theme, const Plot& plot,
                std::optional<int> chosen = std::nullopt);

}  // namespace quintet::gui
