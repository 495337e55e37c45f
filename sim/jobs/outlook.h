// How jobs do together under given decisions: what they would take alone, what they take, what that
// makes of GPUs and links.
#pragma once

#include <vector>

#include "sim/base/result.h"
#include "sim/jobs/alone.h"
#include "sim/jobs/joint_run.h"

namespace quintet {

struct JobOutlook {
  Seconds alone;        // its step with the machine to itself, in the same places
  Seconds step;         // with the others, on average
  Seconds waits;        // from its arrival to its first step
  Seconds finish;       // since the beginning
  double slowdown = 1;  // (finish - arrival) / (steps x the step of JobReference)
};

struct Outlook {
  std::vector<JobOutlook> jobs;
  JointOutcome outcome;
  Seconds makespan;  // from the first arrival to the last end
  double worst_slowdown = 1;
  // Share of their GPUs' time in which jobs compute, weighted by GPUs, while they run; the same if
  // each ran alone.
  double computing = 0, computing_alone = 0;
};

// What a job takes on the empty machine, on its first hosts: what slowdowns are counted from.
struct JobReference {
  Duration step;
  bool operator==(const JobReference&) const = default;
};

// One per job: on the first hosts of the machine, as `quintet simulate` places a plan.
Result<std::vector<JobReference>> references(const JobsOnMachine& machine);

// How long each would take for all of its steps; for placements.
std::vector<Seconds> alone_times(const JobsOnMachine& machine,
                                 const std::vector<JobReference>& references);

Result<Outlook> outlook(const JobsOnMachine& machine, const JobDecisions& decisions,
                        const std::vector<JobReference>& references, const JointOptions& options);

// The file's decisions, in these places.
JobDecisions decisions_in(const JobsOnMachine& machine, const std::vector<std::vector<int>>& slots);

}  // namespace quintet
