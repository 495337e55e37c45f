// Predicted against measured, as drawings in SVG.
#pragma once

#include <string>
#include <vector>

#include "sim/validate/rows/predict_row.h"
#include "sim/validate/statistics.h"

namespace quintet {

struct PlotPoint {
  std::string name;
  Pair pair;  // both above zero
};

// Both axes logarithmic, over the same range; the diagonal, and a band of 10 % to either side.
// Pointing at a dot shows its row. Nothing without points.
std::string scatter_plot(const std::vector<PlotPoint>& points);

// The parts of a step side by side, as long as it is predicted to be against the longer of the two
// times; a line marks what was measured.
std::string step_bar(const StepPrediction& prediction, const Pair& pair);
// What its colours mean, a paragraph.
std::string step_bar_legend();

}  // namespace quintet
