// Predicted against measured, as a drawing in SVG.
#pragma once

#include <string>
#include <vector>

#include "sim/validate/statistics.h"

namespace quintet {

struct PlotPoint {
  std::string name;
  Pair pair;  // both above zero
};

// Both axes logarithmic, over the same range; the diagonal, and a band of 10 % to either side.
// Pointing at a dot shows its row.
std::string scatter_plot(const std::vector<PlotPoint>& points);

}  // namespace quintet
