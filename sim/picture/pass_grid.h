// A pipeline over time: a row per stage, a box per pass of a micro-batch, empty where there is a
// bubble.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct DrawnPass {
  std::size_t row = 0;
  std::string kind;  // "F", "B", "W": letters and digits
  Look look = Look::blue;
  double begin = 0, end = 0;
  std::string label, tip;
};

struct PassGridRow {
  std::string name, note;  // note: at its end
};

struct PassGrid {
  std::string name, title, unit;
  std::vector<PassGridRow> rows;
  std::vector<DrawnPass> passes;
  double end = 0;  // of the step
  std::vector<std::pair<Look, std::string>> keys;
};

// At most so many passes are drawn: the first in time, and the axis ends where the next would
// begin.
inline constexpr std::size_t most_passes = 1200, most_pass_rows = 16;

// The notes say which rows and how much of the time were left out.
Picture draw(const PassGrid& grid);

}  // namespace quintet
