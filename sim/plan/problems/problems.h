// All that does not fit between a plan, a model and a machine: shown together, not one at a time.
#pragma once

#include <string>
#include <vector>

#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

struct Problem {
  std::string field;   // "parallelism.tensor"
  std::string reason;  // "12 attention heads cannot be split over 8 ranks"
  std::string remedy;  // "use 1, 2, 3, 4, 6 or 12"
  bool operator==(const Problem&) const = default;
};

// Empty: the plan can be compiled for this model and simulated on this machine. Memory is not
// judged here.
std::vector<Problem> problems(const Plan& plan, const Model& model, const Topology& topology);

}  // namespace quintet
