// A sweep's points as pictures and as a table. Pure. Marks have ids panel * marks_per_panel +
// number of the case.
#pragma once

#include <vector>

#include "gui/drawing/plot/heat_map.h"
#include "gui/drawing/plot/xy_plot.h"
#include "gui/models/rows_model.h"
#include "gui/scenario/sweep/sweep_point.h"

namespace quintet::gui {

inline constexpr int marks_per_panel = 10'000;

// What is drawn: points that have come with their cases' numbers, and which scenario is open.
struct SweepShown {
  const SweepWish& wish;
  std::vector<SweepPoint> points;
  std::vector<int> numbers;
  Scenario current;
};

// "tensor 4, nics 2: step 8761.1 ms, ..." or why it cannot be.
QString tip_of(const SweepShown& shown, std::size_t point);

// A panel per figure; over the first field, a line per value of the second.
XyPanels sweep_lines(const SweepShown& shown, const std::vector<Figure>& figures);
// Two fields; with one, a single row.
HeatMap sweep_heat(const SweepShown& shown, Figure figure);
XyPanels sweep_pareto(const SweepShown& shown, Figure x, Figure y);
TableRows sweep_table(const SweepShown& shown);

// Those that any point has.
std::vector<Figure> known_figures(const std::vector<SweepPoint>& points);

}  // namespace quintet::gui
