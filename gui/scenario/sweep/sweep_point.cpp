#include "gui/scenario/sweep/sweep_point.h"

#include <fmt/format.h>

#include <utility>

#include "gui/scenario/scenario_command.h"
#include "sim/command/inputs.h"
#include "sim/command/many_plans.h"

namespace quintet::gui {

namespace {

std::string reasons_of(const RefusedPlan& refused) {
  std::string text;
  for (const Problem& problem : refused.problems)
    text += (text.empty() ? "" : "; ") + problem.field + ": " + problem.reason;
  return text.empty() ? refused.error.text() : text;
}

int decimals_of(Figure figure, double value) {
  if (figure == Figure::memory) return 2;
  if (figure == Figure::mfu) return 1;
  return value >= 100.0 ? 1 : value >= 1.0 ? 2 : 4;
}

}  // namespace

std::string_view name_of(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "step";
    case Figure::mfu:
      return "MFU";
    case Figure::memory:
      return "memory";
    case Figure::cost:
      return "rent of a step";
    case Figure::energy:
      return "energy of a step";
  }
  return "";
}

std::string_view unit_of(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "ms";
    case Figure::mfu:
      return "%";
    case Figure::memory:
      return "GiB";
    case Figure::cost:
      return "$";
    case Figure::energy:
      return "kJ";
  }
  return "";
}

std::string_view meaning_of(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "How long one training step takes";
    case Figure::mfu:
      return "The share of the GPUs' peak rate that the model's own FLOPs take";
    case Figure::memory:
      return "What the fullest GPU needs";
    case Figure::cost:
      return "Price per GPU and hour x GPUs x step; not known where the machine's file has no "
             "price";
    case Figure::energy:
      return "Of GPUs, hosts and network together, by the machine file's powers";
  }
  return "";
}

std::optional<double> value_of(const SweepPoint& point, Figure figure) {
  if (!point.answer) return std::nullopt;
  const StepSummary& summary = point.answer->summary;
  const auto known = [](double value, double scale) {
    return value > 0.0 ? std::optional(value * scale) : std::nullopt;
  };
  switch (figure) {
    case Figure::step:
      return summary.step.value * 1e3;
    case Figure::mfu:
      return known(summary.mfu, 100.0);
    case Figure::memory:
      return known(point.answer->memory_needed.value, 1.0 / 0x1p30);
    case Figure::cost:
      return known(summary.cost.value, 1.0);
    case Figure::energy:
      return known(summary.energy.value, 1e-3);
  }
  return std::nullopt;
}

std::string text_of(const SweepPoint& point, Figure figure) {
  const auto value = value_of(point, figure);
  if (!value) return "-";
  return fmt::format("{:.{}f} {}", *value, decimals_of(figure, *value), unit_of(figure));
}

SweepPoint swept_point(const SweepCase& one, const PublishedResiduals& residuals,
                       const std::function<void(double share)>& progress) {
  SweepPoint point{one, {}, {}};
  const Result<InputNames> names = input_names(one.scenario);
  if (!names) {
    point.reason = names.error().text();
    return point;
  }
  const Result<std::vector<Inputs>> inputs = read_inputs(*names);
  if (!inputs) {
    point.reason = inputs.error().text();
    return point;
  }
  ManyAsked asked;
  asked.options.progress = progress;
  asked.published = residuals;
  ManyPlans many = many_plans(*inputs, asked);
  if (many.rows.empty()) {
    point.reason = many.refused.empty() ? "no plan" : reasons_of(many.refused.front());
    return point;
  }
  point.answer = std::move(many.rows.front().answer);
  if (point.answer->fit == MemoryFit::does_not_fit) point.reason = point.answer->fit_text;
  return point;
}

}  // namespace quintet::gui
