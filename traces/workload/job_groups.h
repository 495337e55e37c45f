// The process groups of a job, put together from what each of its ranks says of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/plan/parallelism.h"
#include "traces/trace/rank_trace.h"
#include "traces/workload/workload.h"

namespace quintet {

struct JobGroups {
  std::vector<WorkloadGroup> groups;
  std::vector<Axis> axes;                          // per group: by its description; else data
  std::vector<std::vector<std::int32_t>> of_rank;  // per trace and group of it: index into `groups`
  std::int32_t everybody = -1;                     // the group of all ranks, for who tells of none
  std::vector<WorkloadRemark> remarks;
};

// `ranks`: of each trace. Groups with the same ranks are one; of groups whose ranks no trace tells,
// those with one name, and their members are the traces that have it.
JobGroups job_groups(std::span<const RankTrace> traces, std::span<const int> ranks, int world_size);

// The group that a trace's communication is of: everybody's where it names none.
std::int32_t group_of(const JobGroups& groups, std::size_t trace, const RecordedCommunication& of);

}  // namespace quintet
