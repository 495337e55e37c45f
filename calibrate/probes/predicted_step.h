// What `quintet simulate` predicts of a plan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

struct StepInterval {
  Seconds least, most;  // 90 % of measured steps are expected between
  bool operator==(const StepInterval&) const = default;
};

struct PredictedStep {
  Seconds step;
  std::optional<StepInterval> interval;  // where the costs have residuals
};

struct StepQuestion {
  std::string model, plan, topology, costs;  // as given on command lines
  std::filesystem::path timeline;            // written there; empty: not written
};

// Fails with the name of the program, which said why on the standard error.
Result<PredictedStep> predicted_step(const StepQuestion& question);

}  // namespace quintet::calibrate
