// What `quintet simulate` predicts of a plan.
#pragma once

#include <filesystem>
#include <string>

#include "calibrate/loop_report.h"
#include "sim/result.h"

namespace quintet::calibrate {

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
