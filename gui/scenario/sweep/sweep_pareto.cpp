#include "gui/scenario/sweep/sweep_pareto.h"

#include "sim/answer/pareto_front.h"

namespace quintet::gui {

std::vector<bool> sweep_front(std::span<const SweepPoint> points, Figure one, Figure other) {
  std::vector<JudgedByTwo> judged;
  const auto cost = [](Figure figure, double value) {
    return less_is_better(figure) ? value : -value;
  };
  for (const SweepPoint& point : points) {
    const auto first = value_of(point, one), second = value_of(point, other);
    const bool takes_part = point.fits() && first && second;
    judged.push_back(takes_part ? JudgedByTwo(std::pair(cost(one, *first), cost(other, *second)))
                                : JudgedByTwo());
  }
  return pareto_front(judged);
}

std::optional<std::size_t> best_case(std::span<const std::optional<SweepPoint>> points) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i] || !points[i]->fits()) continue;
    if (!best || points[i]->answer->summary.step < points[*best]->answer->summary.step) best = i;
  }
  return best;
}

}  // namespace quintet::gui
