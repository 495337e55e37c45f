// What ranks did over time, in a few lines each: what lies closer together than can be seen is
// drawn as one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct Strip {
  std::string name;  // "computes"
  Look look = Look::blue;
  std::vector<std::pair<double, double>> spans;  // from, to; in any order
};

struct LaneOf {
  std::string name;           // "rank 3"
  std::vector<Strip> strips;  // the same names and looks in each
};

struct Lanes {
  std::string name, title, unit;
  std::vector<LaneOf> lanes;
  double end = 0;
};

inline constexpr std::size_t most_lanes = 12;

// The first twelve; the notes say how many were left out.
Picture draw(const Lanes& lanes);

}  // namespace quintet
