// Which calls a rank's threads make so that its streams do what a workload says, in Kineto's terms:
// launches with their correlations, events recorded and waited for. Nanoseconds of the workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/trace/rank_trace.h"
#include "traces/workload/workload.h"

namespace quintet::kineto {

struct PlannedCall {
  std::int64_t start = 0, end = 0;
  std::string name;  // "cudaLaunchKernel"
  std::int64_t correlation = 0;
  std::int32_t task = -1;  // that it is, of the host; -1: none
  bool waits = false;      // for what `wait` says: "cuda_sync" tells of it
  RecordedWait wait;       // streams are lanes
};

// A call from which work on a stream comes.
struct PlannedLaunch {
  std::int64_t correlation = -1;  // -1: the task is the host's
  std::int64_t start = 0, end = 0;
  std::int32_t thread = 0;
};

struct PlannedCalls {
  std::vector<std::vector<PlannedCall>> threads;  // in order; the last: of launches not recorded
  std::vector<std::int32_t> lanes;                // per thread: its lane; of the last -1
  std::vector<PlannedLaunch> launches;            // per task
  std::int64_t dependencies_left_out = 0;
};

bool is_of_host(const Workload& workload, const WorkloadTask& task);
std::int64_t nanoseconds(Instant instant);  // the nearest

PlannedCalls planned_calls(const Workload& workload, const WorkloadRank& rank);

}  // namespace quintet::kineto
