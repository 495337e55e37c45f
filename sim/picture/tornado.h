// What would be otherwise: bars to both sides of a reference, one row per change, so that what
// matters most sticks out furthest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct TornadoRow {
  std::string name;
  // From the reference to each of them; the first is drawn thick, the second thin and striped
  // inside of it.
  std::optional<ShownNumber> first, second;
  std::string instead;  // said where there is no number
};

struct Tornado {
  std::string name, title, unit;
  std::string reference_name;
  ShownNumber reference;
  std::string first_name, second_name;  // for the legend; second may be empty
  std::vector<TornadoRow> rows;
};

inline constexpr std::size_t most_tornado_rows = 24;

// The axis does not begin at 0, and says so. The first so many rows; the notes say how many were
// left out.
Picture draw(const Tornado& tornado);

}  // namespace quintet
