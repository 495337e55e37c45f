// Numbers with the intervals in which they may lie, and what was measured of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct RangeRow {
  std::string name;
  ShownNumber point;                                            // predicted: a dot
  std::optional<std::pair<ShownNumber, ShownNumber>> interval;  // low, high: a whisker
  std::optional<ShownNumber> other;                             // measured: a ring
};

struct RangeRows {
  std::string name, title, unit;
  std::string point_name, interval_name, other_name;  // for the legend
  std::vector<RangeRow> rows;
};

inline constexpr std::size_t most_ranges = 30;

// The axis begins at 0. The first thirty rows; the notes say how many were left out.
Picture draw(const RangeRows& ranges);

}  // namespace quintet
