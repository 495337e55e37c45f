// What a plan does, in words: who computes what, and which bytes go where and when, by the Program
// that it is compiled to.
#pragma once

#include <string>

#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/topology/topology.h"

namespace quintet {

// `program` is the plan's on this machine.
std::string explanation_text(const Model& model, const Plan& plan, const Topology& topology,
                             const Program& program);

}  // namespace quintet
