// What `quintet simulate` is given, read and checked against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"
#include "sim/usage/verb.h"

namespace quintet {

// Files or shipped names, as the user gave them. `costs` empty: the shipped table for the GPU;
// `stack` empty: kernels as Megatron-LM has them (Fusion).
struct InputNames {
  std::vector<std::string> plans;
  std::string model, topology, costs, stack;
  std::optional<int> hosts;
};

struct PlanInput {
  std::string file;
  Plan plan;  // always with a name, no two the same
};

// A plan that cannot be predicted, beside others that can.
struct RefusedPlan {
  std::string file;
  Error error;
};

struct Inputs {
  Model model;
  Topology topology;
  CostTable costs;  // with what the stack sets in it
  CompileOptions compile;
  std::string costs_file;
  std::vector<PlanInput> plans;      // one at least
  std::vector<RefusedPlan> refused;  // the others
  std::string stack;                 // its name; empty: none was given
};

// Fails with the file and place of what is wrong, all the problems of a plan together: a line each.
// A plan that is wrong among others that are not is refused alone.
Result<Inputs> read_inputs(const InputNames& names);

// "--hosts N" of verbs that take a topology: within 1 to most_hosts.
Option hosts_option(std::optional<int>& hosts);

}  // namespace quintet
