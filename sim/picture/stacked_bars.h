// Bars side by side, each made of parts that sum to its whole, with the parts' values in columns
// below; a whisker is the interval in which the whole may lie.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct BarPart {
  std::string name;
  Look look = Look::blue;
};

struct StackedBar {
  std::string name;
  std::vector<ShownNumber> parts;  // one per BarPart, from the ground up; none below 0
  ShownNumber whole;               // their sum
  std::optional<std::pair<ShownNumber, ShownNumber>> interval;  // of the whole: low, high
};

struct StackedBars {
  std::string name, title, unit;  // of the picture; unit: "ms"
  std::vector<BarPart> parts;
  std::vector<StackedBar> bars;
  std::string wholes;  // what the last line below calls the wholes: "step"
};

// The first five bars; the notes say how many were left out. Parts that are nothing everywhere are
// not drawn.
Picture draw(const StackedBars& bars);

}  // namespace quintet
