// What `quintet simulate` is given, read and checked against each other.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/asked/settings.h"
#include "sim/base/result.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/plan/problems/problems.h"
#include "sim/topology/faults/faults.h"
#include "sim/topology/topology.h"
#include "sim/usage/verb.h"

namespace quintet {

// What a caller (sim/api) holds already, in the place of a file.
struct OwnText {
  std::string where;  // in messages
  std::string text;
  std::filesystem::path folder;  // in which files that it names are looked for
};

// Files or shipped names, as the user gave them. `costs` empty: the shipped table for the GPU;
// `stack` empty: kernels as Megatron-LM has them (Fusion).
struct InputNames {
  std::vector<std::string> plans;  // none: one is made from what was asked for
  std::string model, topology, costs, stack;
  std::optional<int> hosts;
  std::vector<AskedChanges> asked{1};        // one or more
  std::vector<std::string> topologies = {};  // side by side, in the place of `topology`
  Faults faults = {};                        // of each machine
  // By what stands for it among the names: a name that is here is no file's.
  std::map<std::string, OwnText> own = {};
};

struct PlanInput {
  std::string file;  // or what stands for it in messages
  Plan plan;         // always with a name, no two the same
};

// A plan that cannot be read, or does not fit model and machine.
struct RefusedPlan {
  std::string file;                    // or what is asked for of it
  Error error;                         // all of it
  std::vector<Problem> problems = {};  // where it could be read
};

struct Inputs {
  Model model;
  Topology topology;
  CostTable costs;  // with what the stack sets in it
  CompileOptions compile;
  std::string costs_file;
  std::vector<PlanInput> plans;
  std::vector<RefusedPlan> refused = {};
  std::string stack = {};                 // its name; empty: none was given
  std::vector<std::string> remarks = {};  // of what was taken where nothing was named
};

// Each combination asked for with each plan, in the order asked; one Inputs per machine and cost
// table that they differ in. Plans that are refused stand beside the others. Fails with the file
// and place of what is wrong with the rest.
Result<std::vector<Inputs>> read_inputs(const InputNames& names);

// "--hosts N" of verbs that take a topology: within 1 to most_hosts.
Option hosts_option(std::optional<int>& hosts);

}  // namespace quintet
