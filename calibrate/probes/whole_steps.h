// Steps of probes beside what a cost table predicts of them, whole: how errors of parts add up, and
// what no part knows of. A step counts by how long it is: one of milliseconds, made of latencies,
// tells little of one of seconds. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/fit_validity.h"

namespace quintet::calibrate {

struct WholeStep {
  Seconds measured, predicted;
  std::string form{};  // of the plan: steps of one form err alike
};

// Sum of what predictions are off, in time.
Seconds time_off(const std::vector<WholeStep>& steps);

// What measured over predicted is in the median of forms, as far as so few prove it: the end nearer
// to 1 of the median's 90 % confidence interval, and 1 where that holds 1. Of one step or more.
double proven_ratio(const std::vector<WholeStep>& steps);

// Quantiles that steps not seen yet are expected within.
Residuals whole_step_residuals(const std::vector<WholeStep>& steps);

}  // namespace quintet::calibrate
