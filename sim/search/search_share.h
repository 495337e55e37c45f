// Which part of a search this process does, as whoever started it says: Open MPI, PMI (MPICH, Intel
// MPI, Slurm's), srun or a Slurm array. Nothing is exchanged but files.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/search/search.h"

namespace quintet {

struct StartedShare {
  SearchShare share;
  // All parts run now, so that one can wait for the others; else (an array) at any times.
  bool together = true;
};

using EnvironmentVariables = std::function<std::optional<std::string>(const std::string& name)>;

// One part where nobody has started several. The error names the variable that is no number.
//   OMPI_COMM_WORLD_RANK, _SIZE; PMI_RANK, _SIZE; SLURM_PROCID, SLURM_STEP_NUM_TASKS (more than one
//   task: a batch script has a number too); SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT (sbatch(1)),
//   of which each may run several ranks
Result<StartedShare> started_share(const EnvironmentVariables& environment);

}  // namespace quintet
