#include "gui/scenario/sweep/sweep_point.h"

#include <fmt/format.h>

#include <utility>

#include "gui/scenario/scenario_command.h"
#include "sim/command/sweep/swept_case.h"

namespace quintet::gui {

std::optional<double> value_of(const SweepPoint& point, Figure figure) {
  return point.answer ? value_of(*point.answer, figure) : std::nullopt;
}

std::string text_of(const SweepPoint& point, Figure figure) {
  const auto value = value_of(point, figure);
  return value ? fmt::format("{} {}", number_text(value, figure), unit_of(figure)) : "-";
}

SweepPoint swept_point(const SweepCase& one, const PublishedResiduals& residuals,
                       const std::function<void(double share)>& progress) {
  SweepPoint point{one, {}, {}};
  const Result<InputNames> names = input_names(one.scenario);
  if (!names) {
    point.reason = names.error().text();
    return point;
  }
  CaseAnswer made = answered_case(*names, residuals, progress);
  point.answer = std::move(made.answer);
  point.reason = std::move(made.reason);
  return point;
}

}  // namespace quintet::gui
