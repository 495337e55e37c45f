// Lines over a value that is varied: one line per series, a dot per value, rings where a value is
// of something that cannot be had (a plan that does not fit).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct PlottedPoint {
  double x = 0;
  ShownNumber y;
  bool usual = true;  // false: a ring
};

struct PlottedLine {
  std::string name;                                 // "oversubscription 2"
  std::vector<std::optional<PlottedPoint>> points;  // from left to right; none: a gap
};

struct LinePlot {
  std::string name, title;
  std::string across, up;            // what the axes are, with their units
  std::vector<PlottedLine> lines;    // the first seven
  std::vector<std::string> words{};  // at 0, 1, 2, ... in the place of numbers
  std::vector<double> ticks_at{};    // where numbers stand; empty: at round numbers
  std::string ring_means{};          // for the legend: "does not fit in memory"
};

inline constexpr std::size_t most_plotted_lines = 7;

// Both axes are drawn to scale; the upward one begins at 0. The notes say how many lines were left
// out.
Picture draw(const LinePlot& plot);

}  // namespace quintet
