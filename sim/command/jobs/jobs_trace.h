// The first steps of all jobs in one timeline.
#pragma once

#include "sim/jobs/joint_run.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// A track per class of ranks that a job's walk showed, called by its job; its rank is the place on
// the machine. Outcomes hold the timelines (JointOptions::kept_timelines).
Timeline joint_timeline(const JobsOnMachine& machine, const JobDecisions& decisions,
                        const JointOutcome& outcome);

}  // namespace quintet
