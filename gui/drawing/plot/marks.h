// What of a picture can be pointed at: where it is, what it says. Pure: pages, keyboards and tests
// ask these functions, whatever is drawn.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

namespace quintet::gui {

struct Mark {
  QRectF area;
  QString tip;  // said by a tooltip and to a screen reader
  int id = 0;   // the caller's
};

// The mark under a pixel, or the nearest within `reach` pixels; an index.
std::optional<std::size_t> mark_at(const std::vector<Mark>& marks, QPointF at, double reach = 8.0);

// The one with an id.
std::optional<std::size_t> mark_of(const std::vector<Mark>& marks, int id);

enum class Toward { left, right, up, down };
// Where an arrow key leads: the nearest in that direction, the straight ones first; stays where
// there is none. From nowhere: to the first.
std::optional<std::size_t> next_mark(const std::vector<Mark>& marks,
                                     std::optional<std::size_t> from, Toward toward);

}  // namespace quintet::gui
