// Runs as whatever this process was started as: by itself, or as one rank of a job that mpirun or
// srun started.
#pragma once

#include <functional>

#include "calibrate/messages/message_job.h"
#include "sim/usage/verb.h"

namespace quintet::calibrate {

// `whole` does the work, alone with null, on rank 0 with its cluster; the other ranks serve until
// rank 0 ends them. Ends for all when it ends for one.
ExitCode as_started(const ClusterOptions& options, bool busy,
                    const std::function<ExitCode(Cluster*)>& whole);

}  // namespace quintet::calibrate
