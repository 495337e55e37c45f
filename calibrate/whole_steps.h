// Steps of probes beside what a cost table predicts of them, whole: how errors of parts add up, and
// what no part knows of. A step counts by how long it is: one of milliseconds, made of latencies,
// tells little of one of seconds. Pure.
#pragma once

#include <vector>

#include "sim/cost/residuals.h"
#include "sim/units.h"

namespace quintet::calibrate {

struct WholeStep {
  Seconds measured, predicted;
};

// Of measured over predicted; of one step or more.
double median_ratio(const std::vector<WholeStep>& steps);

// Quantiles that steps not seen yet are expected within.
Residuals whole_step_residuals(const std::vector<WholeStep>& steps);

}  // namespace quintet::calibrate
