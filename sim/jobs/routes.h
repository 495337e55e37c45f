// Which way jobs' traffic goes, chosen so that they meet as little as can be.
#pragma once

#include <vector>

#include "sim/jobs/alone.h"

namespace quintet {

// GPU intensities, most first: indices of jobs.
std::vector<std::size_t> by_intensity(const JobsOnMachine& machine,
                                      const std::vector<AloneJob>& alone);

// The decisions with routes chosen job by job, most GPU-intense first: of the plan's own, pinned
// rails and `seeds` hashes the one that leaves the fullest link of its machine the least full,
// links counted by the share of time that all jobs chosen so far want of them. Fails where a walk
// does.
Result<JobDecisions> least_full_routes(const JobsOnMachine& machine, JobDecisions decisions,
                                       int seeds);

// The decisions with priorities by GPU intensity: the most intense has the highest; of more than
// eight jobs the last share the lowest.
JobDecisions classes_by_intensity(const JobsOnMachine& machine, JobDecisions decisions,
                                  const std::vector<AloneJob>& alone);

}  // namespace quintet
