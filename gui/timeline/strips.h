// Timelines of one rank each, one above the other over the same time, to see what is where.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <cstddef>
#include <vector>

#include "gui/drawing/plot/marks.h"
#include "gui/drawing/plot/plot_text.h"
#include "gui/drawing/plot/scale.h"
#include "gui/drawing/theme.h"
#include "sim/timeline/timeline.h"

namespace quintet::gui {

struct Strip {
  QString name;
  const Timeline* timeline = nullptr;  // must outlive it
  std::size_t track = 0;
};

struct Strips {
  QString title;
  std::vector<Strip> strips;
  Instant from, to;  // what is shown
  QString empty = {};
};

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const Strips& strips);

// Time over pixels, in picoseconds.
Scale strip_scale(const Strips& strips, const QRectF& at);

// What is at a pixel, in words; empty: nothing.
QString strip_tip(const Strips& strips, const QRectF& at, QPointF pixel);

// The track that shows a rank: its own, or the last one before it.
std::size_t track_showing(const Timeline& timeline, int rank);

// What colours of strips mean (gui/drawing/span_look.h).
LegendKeys strip_keys();

}  // namespace quintet::gui
