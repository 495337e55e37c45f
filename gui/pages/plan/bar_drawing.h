// What bars of parts have in common: measures that follow the picture's size, hatched boxes, keys.
#pragma once

#include <QBrush>
#include <QColor>
#include <QPainter>
#include <QString>
#include <vector>

#include "gui/drawing/theme.h"

namespace quintet::gui {

// A picture of a window's size has letters of 11 pixels, one of a poster's larger ones.
double unit_of(const QSizeF& size);

// What a part is filled with.
struct Fill {
  QColor color;
  Qt::BrushStyle style = Qt::SolidPattern;
};
Fill fill_of(const Theme& theme, Look look);
void fill_box(QPainter& painter, const QRectF& box, const Theme& theme, const Fill& fill);

struct Key {
  Fill fill;
  QString name;
};
// Rows of keys that end at the bottom of the place; returns the height that they take.
double draw_keys(QPainter& painter, const QRectF& place, const Theme& theme,
                 const std::vector<Key>& keys, double unit);

void draw_title(QPainter& painter, const QRectF& place, const Theme& theme, const QString& title,
                const QString& says, double unit, bool warns);

QFont font_of(const QPainter& painter, double unit, bool bold = false);

}  // namespace quintet::gui
