// Which rank of how many this process is, when somebody has started it as one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

enum class StartedBy { quintet, mpi, slurm };

struct RankIdentity {
  Rank rank{0};
  int world = 1;
  int local_rank = 0, local_world = 1;  // among those on this host
  StartedBy by = StartedBy::quintet;
  bool operator==(const RankIdentity&) const = default;
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// Nothing: this process is to start the ranks. In this order: the launcher's own variables, Open
// MPI's, PMI's (MPICH, Intel MPI), Slurm's (of a step of srun with more than one task, since a
// batch script has a rank too). Numbers that are none, or beyond each other, are errors.
Result<std::optional<RankIdentity>> rank_identity(const Environment& environment);

// What tells a process that it is this rank: "NAME=value" each.
std::vector<std::string> variables_of(const RankIdentity& identity);

}  // namespace quintet::engine
