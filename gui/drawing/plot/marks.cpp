#include "gui/drawing/plot/marks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace quintet::gui {

namespace {

double distance(const QRectF& area, QPointF at) {
  const double x = std::max({area.left() - at.x(), 0.0, at.x() - area.right()});
  const double y = std::max({area.top() - at.y(), 0.0, at.y() - area.bottom()});
  return std::hypot(x, y);
}

// How far along an arrow's direction, and how far aside.
std::pair<double, double> along(QPointF way, Toward toward) {
  switch (toward) {
    case Toward::left:
      return {-way.x(), std::abs(way.y())};
    case Toward::right:
      return {way.x(), std::abs(way.y())};
    case Toward::up:
      return {-way.y(), std::abs(way.x())};
    case Toward::down:
      return {way.y(), std::abs(way.x())};
  }
  return {0.0, 0.0};
}

}  // namespace

std::optional<std::size_t> mark_at(const std::vector<Mark>& marks, QPointF at, double reach) {
  std::optional<std::size_t> best;
  std::pair least{reach, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const QPointF way = marks[i].area.center() - at;
    const std::pair found{distance(marks[i].area, at), std::hypot(way.x(), way.y())};
    if (found > least || found.first > reach) continue;
    least = found;
    best = i;
  }
  return best;
}

std::optional<std::size_t> mark_of(const std::vector<Mark>& marks, int id) {
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i].id == id) return i;
  return std::nullopt;
}

std::optional<std::size_t> next_mark(const std::vector<Mark>& marks,
                                     std::optional<std::size_t> from, Toward toward) {
  if (marks.empty()) return std::nullopt;
  if (!from) return 0;
  constexpr double weight_aside = 3.0;
  std::optional<std::size_t> best = from;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto [ahead, aside] = along(marks[i].area.center() - marks[*from].area.center(), toward);
    if (ahead < 0.5 || ahead + weight_aside * aside >= least) continue;
    least = ahead + weight_aside * aside;
    best = i;
  }
  return best;
}

}  // namespace quintet::gui
