// A recorded step, walked again by the simulator's own executor: as it was, or with its
// communication on another machine.
//
//   as recorded        every task takes the time it took; the step must come out as recorded
//   on a machine       collectives and messages take what the model of that machine says
//   on another machine than the known one that it was recorded on: they take what the model says of
//                      the other, and what they took longer than the model says of the first
//
// Computing takes the time it took, unless kernels are changed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/simulate/walk/link_loads.h"
#include "sim/timeline/timeline.h"
#include "traces/replay/kernel_changes.h"
#include "traces/replay/meeting_prices.h"
#include "traces/workload/workload.h"

namespace quintet {

struct ReplayOptions {
  std::optional<ReplayMachine> recorded_on, on;  // none: not known; as recorded
  int replicas = 1;  // so many times the recorded job, data-parallel (meeting_prices.h)
  std::vector<KernelChange> kernels;
  std::optional<GpuChange> gpu;
  std::function<void(double share)> progress;
};

struct Replay {
  Timeline timeline;  // a track per rank of the workload, with its infos and names
  std::vector<Duration> rank_ends;
  std::vector<LinkLoad> loads;  // of the machine's links; empty as recorded
  std::vector<WorkloadRemark> remarks;
  // Of a recorded workload: how much of the step each of these was, over all ranks.
  Duration pauses;
  std::int64_t meetings = 0, tasks = 0;
  std::vector<std::int64_t> changed_kernels;  // how many each KernelChange changed
};

// Fails where a machine has too few slots, where the workload knows no times and no machine is
// named, and where ranks wait for one another in a circle.
Result<Replay> replay(const Workload& workload, const ReplayOptions& options);

// Of a recorded workload: when each rank's last task ended.
std::vector<Duration> recorded_ends(const Workload& workload);

}  // namespace quintet
