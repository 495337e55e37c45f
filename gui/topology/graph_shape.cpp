#include "gui/topology/graph_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace quintet::gui {

namespace {

int node(std::size_t index) {
  return static_cast<int>(index);
}

bool share_a_neighbour(const std::vector<int>& one, const std::vector<int>& other) {
  auto left = one.begin(), right = other.begin();
  while (left != one.end() && right != other.end()) {
    if (*left == *right) return true;
    if (*left < *right)
      ++left;
    else
      ++right;
  }
  return false;
}

int root_of(std::vector<int>& parents, int child) {
  while (parents[static_cast<std::size_t>(child)] != child)
    child = parents[static_cast<std::size_t>(child)];
  return child;
}

double length(const QPointF& vector) {
  return std::hypot(vector.x(), vector.y());
}

std::vector<QPointF> on_grid(std::size_t count) {
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  std::vector<QPointF> places;
  for (int each = 0; each < static_cast<int>(count); ++each)
    places.emplace_back(each % columns, each / columns);
  return places;
}

// What pushes and pulls each node; the ideal distance is 1.
std::vector<QPointF> forces(const Neighbours& neighbours, const std::vector<QPointF>& places) {
  std::vector<QPointF> sums(places.size());
  for (std::size_t one = 0; one < places.size(); ++one)
    for (std::size_t other = 0; other < places.size(); ++other) {
      if (one == other) continue;
      const QPointF apart = places[one] - places[other];
      const double distance = std::max(1e-3, length(apart));
      sums[one] += apart / (distance * distance);
    }
  for (std::size_t one = 0; one < places.size(); ++one)
    for (const int other : neighbours[one]) {
      const QPointF apart = places[one] - places[static_cast<std::size_t>(other)];
      sums[one] -= apart * length(apart);
    }
  return sums;
}

// So that the nearest two are 1 apart in x or in y.
void scale(std::vector<QPointF>& places) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t one = 0; one < places.size(); ++one)
    for (std::size_t other = 0; other < one; ++other) {
      const QPointF apart = places[one] - places[other];
      nearest = std::min(nearest, std::max(std::abs(apart.x()), std::abs(apart.y())));
    }
  if (!std::isfinite(nearest) || nearest <= 0) return;
  for (QPointF& place : places) place /= nearest;
}

// So that they lie along x, as windows do.
void turn(std::vector<QPointF>& places) {
  QPointF middle;
  for (const QPointF& place : places) middle += place / static_cast<double>(places.size());
  double xx = 0, yy = 0, xy = 0;
  for (QPointF& place : places) {
    place -= middle;
    xx += place.x() * place.x();
    yy += place.y() * place.y();
    xy += place.x() * place.y();
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  for (QPointF& place : places)
    place = {place.x() * std::cos(angle) + place.y() * std::sin(angle),
             place.y() * std::cos(angle) - place.x() * std::sin(angle)};
  if (places.size() > 1 && places.front().x() > places.back().x())
    for (QPointF& place : places) place = -place;
}

}  // namespace

std::vector<int> groups_of(const Neighbours& neighbours) {
  std::vector<int> parents(neighbours.size());
  std::iota(parents.begin(), parents.end(), 0);
  for (std::size_t one = 0; one < neighbours.size(); ++one)
    for (const int other : neighbours[one]) {
      if (other < node(one)) continue;
      if (!share_a_neighbour(neighbours[one], neighbours[static_cast<std::size_t>(other)]))
        continue;
      const int left = root_of(parents, node(one)), right = root_of(parents, other);
      parents[static_cast<std::size_t>(std::max(left, right))] = std::min(left, right);
    }
  std::vector<int> groups(neighbours.size(), -1), sizes;
  for (std::size_t one = 0; one < groups.size(); ++one) {
    const auto root = static_cast<std::size_t>(root_of(parents, node(one)));
    if (root == one) {
      groups[one] = node(sizes.size());
      sizes.push_back(0);
    }
    groups[one] = groups[root];
    ++sizes[static_cast<std::size_t>(groups[one])];
  }
  const bool of_three = std::all_of(sizes.begin(), sizes.end(), [](int size) { return size >= 3; });
  if (sizes.size() < 2 || !of_three) groups.assign(groups.size(), 0);
  return groups;
}

std::vector<QPointF> on_circle(int count) {
  std::vector<QPointF> places;
  const double step = 2 * std::numbers::pi / std::max(1, count);
  for (int each = 0; each < count; ++each)
    places.emplace_back(std::sin(each * step), -std::cos(each * step));
  scale(places);
  return places;
}

std::vector<QPointF> by_force(const Neighbours& neighbours) {
  if (neighbours.size() > most_by_force) return on_grid(neighbours.size());
  std::vector<QPointF> places = on_circle(node(neighbours.size()));
  constexpr int rounds = 200;
  const double widest = std::sqrt(static_cast<double>(places.size()));
  for (int round = 0; round < rounds; ++round) {
    const double warmth = widest * 0.1 * (1.0 - static_cast<double>(round) / rounds);
    const std::vector<QPointF> pushes = forces(neighbours, places);
    for (std::size_t each = 0; each < places.size(); ++each)
      if (const double size = length(pushes[each]); size > 0)
        places[each] += pushes[each] / size * std::min(size, warmth);
  }
  turn(places);
  scale(places);
  return places;
}

}  // namespace quintet::gui
