// Which points of a sweep nobody beats in two figures.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gui/scenario/sweep/sweep_point.h"

namespace quintet::gui {

// One per point: whether it is on the front of those that fit and have both figures.
std::vector<bool> sweep_front(std::span<const SweepPoint> points, Figure one, Figure other);

// The fastest that fits; none where none does. Of those that are predicted already.
std::optional<std::size_t> best_case(std::span<const std::optional<SweepPoint>> points);

}  // namespace quintet::gui
