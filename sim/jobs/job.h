// A job that is ready to run somewhere on a machine, and what is decided about where and how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/jobs/job_file.h"
#include "sim/model/model.h"
#include "sim/network/fabric.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/topology/topology.h"

namespace quintet {

struct Job {
  JobEntry entry;    // with gpus_per_host said
  Plan plan;         // of the file, with the entry's routing
  Program program;   // of one step
  bool fits = true;  // the memory of its GPUs
};

// How one job runs.
struct JobDecision {
  std::vector<int> slots;  // of the machine, one per rank (rank_slots, sim/topology/topology.h)
  Routing routing = Routing::rail_pinned;
  std::uint64_t hash_seed = 1;
  TrafficClass traffic;
  Seconds offset, pace;  // as JobEntry has them
  bool operator==(const JobDecision&) const = default;
};
using JobDecisions = std::vector<JobDecision>;  // one per job

struct JobsOnMachine {
  std::vector<Job> jobs;
  Topology topology;
  CostTable costs;
};

// As much of the machine as a job wants, taken from its beginning, for all that only counts places:
// devices and links are the machine's.
Topology machine_of_size(const Topology& topology, int hosts, int gpus_per_host);

// `where`: of the entry in its file, for errors: it wants more hosts or GPUs than there are, the
// plan does not fit it, or costs do not cover it.
Result<Job> ready_job(const JobEntry& entry, const Model& model, const Plan& plan,
                      const JobsOnMachine& machine, const CompileOptions& compile,
                      const std::string& where);

// The plan with its ranks in these places, its traffic as decided.
Plan placed_plan(const Job& job, const JobDecision& decision);

// All but the slots is as the file says.
JobDecision decision_of(const Job& job);

}  // namespace quintet
