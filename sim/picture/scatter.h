// Points in a plane, those that nothing beats joined by a line: step time against memory left.
#pragma once

#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct ScatterPoint {
  std::string name;
  ShownNumber across, up;
  bool strong = false;  // filled, and on the line
  bool labelled = false;
};

struct Scatter {
  std::string name, title;
  std::string across_name, across_unit, up_name, up_unit;
  std::string strong_name, weak_name;  // for the legend
  std::vector<ScatterPoint> points;
};

inline constexpr std::size_t most_points = 400;

// Neither axis begins at 0 where the points lie close together, and the notes say so. The first so
// many points; the notes say how many were left out.
Picture draw(const Scatter& scatter);

}  // namespace quintet
