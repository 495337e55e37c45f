// A table of numbers in shades: the darker the larger, the best in a frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct HeatCell {
  std::optional<ShownNumber> value;  // none: it cannot be
  bool usual = true;                 // false: it is in brackets (does not fit)
  std::string tip{};
};

struct HeatMap {
  std::string name, title, unit;
  std::string down, across;                                   // what rows and columns are
  std::vector<std::string> rows, columns;                     // their values
  std::vector<std::vector<HeatCell>> cells;                   // [row][column]
  std::optional<std::pair<std::size_t, std::size_t>> best{};  // row, column
  std::string brackets_mean{};                                // "does not fit in memory"
};

inline constexpr std::size_t most_heat_columns = 10, most_heat_rows = 24;

// The first rows and columns; the notes say how many were left out.
Picture draw(const HeatMap& map);

}  // namespace quintet
