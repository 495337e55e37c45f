// What `quintet simulate` answers to a scenario, as values: the same functions that the command
// calls, so that every number in the window is one that the command prints.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gui/scenario/scenario.h"
#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/command/report.h"

namespace quintet::gui {

struct Outcome {
  Scenario scenario;
  Inputs inputs;       // model, machine with its faults, costs; the plan, unless it is refused
  ReportInput report;  // of this plan alone; without plans where `refused`
  std::optional<RefusedPlan> refused;  // the plan does not fit model and machine, and why
  Seconds took;                        // of this process

  bool predicted() const { return !report.plans.empty(); }
  const Prediction& prediction() const { return report.plans.front().prediction; }
  const Answer& answer() const { return report.plans.front().answer; }
  const Topology& topology() const { return inputs.topology; }
  const Plan& plan() const { return inputs.plans.front().plan; }
};

// Fails with file and place where `quintet simulate` does, but for a plan that does not fit.
// `progress`, called now and then with 0..1, may throw: nothing is left behind.
Result<Outcome> outcome_of(const Scenario& scenario,
                           const std::function<void(double share)>& progress = {});

// A figure in front of people: "8761.1 ms".
std::string step_text(const Outcome& outcome);

}  // namespace quintet::gui
