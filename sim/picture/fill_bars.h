// Lying bars of parts against a limit: memory against capacity.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"
#include "sim/picture/stacked_bars.h"

namespace quintet {

struct FillBars {
  std::string name, title, unit;
  std::vector<BarPart> parts;
  std::vector<StackedBar> bars;
  std::optional<ShownNumber> limit;
  std::string limit_name;  // "capacity"
};

inline constexpr std::size_t most_fill_bars = 16;

// The first sixteen; the notes say how many were left out.
Picture draw(const FillBars& bars);

}  // namespace quintet
