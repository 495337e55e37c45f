// The machine of one walk as it is now: rates of links, speeds of ranks and prices of what begins,
// where parts of it slow down, fail and come back meanwhile (world_change.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/simulate/walk/executor.h"
#include "sim/simulate/walk/running_cpu_kernels.h"
#include "sim/simulate/walk/running_gpu_kernels.h"

namespace quintet {

class ChangingWorld {
 public:
  // `computing`: by the kind of a class of ranks (RankClass::computes). All of it outlives this.
  ChangingWorld(const ExecutorInput& input, std::span<const ComputeKind> computing,
                RunningGpuKernels& kernels, RunningCpuKernels& cpu_kernels);

  void begin();  // once: the changes wait for their times
  void end();    // what has not come when all is done never comes: a step ends with its last task

  // The same pattern of communication among those of the machine as it is now.
  std::size_t priced_now(const Action& action, std::size_t pattern) const;

 private:
  void become(const WorldChange& change);

  const ExecutorInput& input_;
  std::span<const ComputeKind> computing_;
  RunningGpuKernels& kernels_;
  RunningCpuKernels& cpu_kernels_;
  std::vector<EventId> changing_;  // in order of time
  std::size_t changed_ = 0;        // how many of these have come
  std::size_t state_ = 0;          // by which communications are priced
};

}  // namespace quintet
