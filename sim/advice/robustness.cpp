#include "sim/advice/robustness.h"

#include <algorithm>
#include <utility>

namespace quintet {
namespace {

struct Case {
  const Scenario* scenario = nullptr;  // null: the machine as it is
  const FaultCase* fault = nullptr;    // null: of costs
};

MachineMaker machine_in(const Case& one, const Machine& machine) {
  return [one, &machine]() -> Result<Machine> {
    Machine changed = machine;
    if (one.scenario != nullptr && !one.scenario->costs.empty())
      changed.costs = one.scenario->costs.front();
    if (one.fault == nullptr) return changed;
    Result<Topology> worse = with_faults(std::move(changed.topology), one.fault->faults);
    if (!worse) return worse.error();
    changed.topology = std::move(*worse);
    return changed;
  };
}

std::vector<Case> cases_of(const std::vector<Scenario>& all) {
  std::vector<Case> cases{{}};
  for (const Scenario& scenario : all) {
    if (scenario.cases.empty()) cases.push_back({&scenario, nullptr});
    for (const FaultCase& fault : scenario.cases) cases.push_back({&scenario, &fault});
  }
  return cases;
}

// What cannot be run is worse than anything.
bool worse(const Outcome& one, const Outcome& other) {
  if (!one.step || !other.step) return !one.step && other.step;
  return *one.step > *other.step;
}

struct Worst {
  Case at;
  Outcome chosen;
};

// One of each scenario, in their order.
std::vector<Worst> worst_cases(const std::vector<Case>& cases,
                               const std::vector<Result<Evaluated>>& steps) {
  std::vector<Worst> worst;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Worst next{cases[i], outcome_of(steps[i])};
    if (worst.empty() || worst.back().at.scenario != next.at.scenario)
      worst.push_back(next);
    else if (worse(next.chosen, worst.back().chosen))
      worst.back() = next;
  }
  return worst;
}

ScenarioSteps named(const Worst& worst) {
  if (worst.at.scenario == nullptr) return {"as the machine is", "", 0, 0, 0, {worst.chosen}};
  const Scenario& scenario = *worst.at.scenario;
  const auto tried = static_cast<int>(scenario.cases.size());
  ScenarioSteps steps{scenario.name, "", 0, tried + scenario.left_out, tried, {worst.chosen}};
  if (worst.at.fault == nullptr) return steps;
  steps.part = worst.at.fault->part;
  steps.alike = worst.at.fault->alike;
  return steps;
}

std::optional<double> largest_regret(const std::vector<ScenarioSteps>& all, std::size_t plan) {
  double largest = 0;
  for (const ScenarioSteps& each : all) {
    const std::optional<double> one = regret(each, plan);
    if (!one) return std::nullopt;
    largest = std::max(largest, *one);
  }
  return largest;
}

}  // namespace

std::optional<double> regret(const ScenarioSteps& steps, std::size_t plan) {
  if (!steps.steps[plan].step) return std::nullopt;
  Seconds least = *steps.steps[plan].step;
  for (const Outcome& each : steps.steps)
    if (each.step) least = std::min(least, *each.step);
  return least.value > 0 ? *steps.steps[plan].step / least - 1 : 0;
}

Robustness robustness(const std::vector<Plan>& plans, const Machine& machine,
                      const StepDetail& detail, const Evaluator& evaluator, const Effort& effort) {
  const std::vector<Scenario> all = scenarios(plans.front(), machine, detail);
  const std::vector<Case> cases = cases_of(all);
  std::vector<Attempt> attempts;
  for (const Case& each : cases) attempts.push_back({plans.front(), machine_in(each, machine)});
  const std::vector<Worst> worst = worst_cases(cases, evaluations(attempts, evaluator, effort));

  attempts.clear();
  for (const Worst& each : worst)
    for (std::size_t plan = 1; plan < plans.size(); ++plan)
      attempts.push_back({plans[plan], machine_in(each.at, machine)});
  const std::vector<Result<Evaluated>> others = evaluations(attempts, evaluator, effort);
  Robustness found;
  std::size_t next = 0;
  for (const Worst& each : worst) {
    found.scenarios.push_back(named(each));
    for (std::size_t plan = 1; plan < plans.size(); ++plan)
      found.scenarios.back().steps.push_back(outcome_of(others[next++]));
  }
  for (std::size_t plan = 0; plan < plans.size(); ++plan)
    found.largest_regret.push_back(largest_regret(found.scenarios, plan));
  return found;
}

}  // namespace quintet
