#include "sim/confidence/step_interval.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text_table.h"

namespace quintet {

namespace {

std::optional<StepInterval> checked(StepInterval interval) {
  if (interval.low < interval.high) return interval;
  return std::nullopt;
}

std::string parts_text(double known) {
  return fmt::format("the cost table's own errors, known of {} of the step", percent(known, 0));
}

}  // namespace

std::optional<StepInterval> step_interval(Seconds step, const PredictedInterval& of_parts,
                                          const CostTable& costs,
                                          const std::optional<ExpectedError>& published) {
  constexpr double enough = 0.5;
  const Seconds low = seconds(of_parts.low), high = seconds(of_parts.high);
  if (const int ran = costs.whole_steps.residuals.samples; ran > 0)
    return checked({low, high, fmt::format("{} steps run when the cost table was measured", ran)});
  if (const auto& guess = costs.guess)
    return checked({guess->low * step, guess->high * step, guess->rests_on});
  if (!published)
    return of_parts.known >= enough ? checked({low, high, parts_text(of_parts.known)})
                                    : std::nullopt;
  StepInterval interval{published->low * step, published->high * step, published->rests_on};
  if (of_parts.known > 0 && (low < interval.low || interval.high < high)) {
    interval.low = std::min(interval.low, low);
    interval.high = std::max(interval.high, high);
    interval.rests_on += "; and " + parts_text(of_parts.known);
  }
  return checked(std::move(interval));
}

}  // namespace quintet
