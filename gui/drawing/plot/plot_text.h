// Letters of pictures: one font, so that where things lie hangs on the size alone.
#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QString>
#include <utility>
#include <vector>

#include "gui/drawing/theme.h"

namespace quintet::gui {

QFont plot_font();
QFont plot_title_font();

// Shortened with an ellipsis where it is too long.
void draw_text(QPainter& painter, const QRectF& at, Qt::Alignment how, const QString& text);

// Swatches with their names, in rows; the height that they take.
using LegendKeys = std::vector<std::pair<Look, QString>>;
double legend_height(const LegendKeys& keys, double width);
void draw_legend(QPainter& painter, const QRectF& at, const Theme& theme, const LegendKeys& keys);

// The colour, with its texture in a darker one.
void fill_look(QPainter& painter, const QRectF& box, const Theme& theme, Look look);

// A frame about what is chosen, by keyboard or pointer.
void draw_choice(QPainter& painter, const QRectF& about, const Theme& theme);

// In the middle, where there is nothing to draw.
void draw_empty(QPainter& painter, const QRectF& at, const Theme& theme, const QString& text);

}  // namespace quintet::gui
