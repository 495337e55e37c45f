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

// Those of them that concern neither model nor machine: the plan is wrong in itself. What is told
// by the model's or machine's numbers too is not among them.
std::vector<Problem> own_problems(const Plan& plan);

// Several lines, "is wrong in itself" and "does not fit this model on this machine", each with its
// problems; empty where there are none.
std::string refusal_text(const Plan& plan, const std::vector<Problem>& found);

}  // namespace quintet
