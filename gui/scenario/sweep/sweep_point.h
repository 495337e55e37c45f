// What one scenario of a sweep comes to: the figures that `quintet simulate` prints of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gui/scenario/sweep/sweep_wish.h"
#include "sim/answer/answer.h"
#include "sim/answer/figure.h"
#include "sim/confidence/residuals.h"

namespace quintet::gui {

struct SweepPoint {
  SweepCase what;
  std::optional<Answer> answer;  // none: it cannot be
  // Why it cannot be, or does not fit into the memory; empty: neither.
  std::string reason;
  bool fits() const { return answer.has_value() && reason.empty(); }
};

// In its unit; none where it is not known.
std::optional<double> value_of(const SweepPoint& point, Figure figure);
// "8761.1 ms"; "-" where it is not known.
std::string text_of(const SweepPoint& point, Figure figure);

// As the command does for one of a list's values. `progress` may throw, to end it.
SweepPoint swept_point(const SweepCase& one, const PublishedResiduals& residuals,
                       const std::function<void(double share)>& progress = {});

}  // namespace quintet::gui
