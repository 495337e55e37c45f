// What a plan should become on a machine some of whose links between stages have become slow: what
// the controller does between two steps (sim/adapt/controller.h), once.
#pragma once

#include <string>

#include "sim/adapt/controller.h"
#include "sim/base/result.h"
#include "sim/command/inputs.h"

namespace quintet {

struct PlanAdaptation {
  Seconds well, late;           // a step of the plan before, and now
  std::vector<Seconds> delays;  // per link between stages, as the timelines show them
  Adaptation best;
};

// `now`: the plan and the machine as it is; `before`: as it was. Both have the same plan, the
// first.
Result<PlanAdaptation> plan_adaptation(const Inputs& before, const Inputs& now);

// The candidates, the fastest marked.
std::string adaptation_text(const PlanAdaptation& adaptation);

}  // namespace quintet
