// Whether a plan is still the right one when something is not as it should be: its step in each
// scenario, and those of the runner-ups in the same. The regret of a plan in a scenario is what it
// takes beyond the best of all of them there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/advice/attempts.h"
#include "sim/advice/scenarios.h"

namespace quintet {

struct ScenarioSteps {
  std::string scenario;        // "as the machine is", "a NIC at half its rate"
  std::string part;            // the one of which the chosen plan suffers most; empty: none
  int alike = 0;               // parts like it
  int kinds = 0, tried = 0;    // of parts that the plan uses differently
  std::vector<Outcome> steps;  // per plan, the chosen one first
  bool operator==(const ScenarioSteps&) const = default;
};

struct Robustness {
  std::vector<ScenarioSteps> scenarios;  // the machine as it is first
  // Per plan the largest of its regrets over all scenarios; none: in one of them it cannot be run.
  std::vector<std::optional<double>> largest_regret;
  bool operator==(const Robustness&) const = default;
};

// (step / least step of all plans there) - 1; none where the plan cannot be run.
std::optional<double> regret(const ScenarioSteps& steps, std::size_t plan);

// `plans`: the chosen one first, then the runner-ups.
Robustness robustness(const std::vector<Plan>& plans, const Machine& machine,
                      const StepDetail& detail, const Evaluator& evaluator, const Effort& effort);

}  // namespace quintet
