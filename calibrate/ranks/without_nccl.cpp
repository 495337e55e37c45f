// Ranks with GPUs where the build found no NCCL.
#include "calibrate/ranks/gpu_rank.h"

namespace quintet::calibrate {
namespace {

class NoGpuRank final : public TimingWork {
 public:
  std::vector<Method> methods() const override { return {}; }
  Result<std::vector<double>> run(const TimingTask&) override {
    return Error{"NCCL", "this build has none: CMake found no nccl.h and cuda_runtime.h"};
  }
};

}  // namespace

std::vector<Method> methods_of_gpu_ranks() {
  return {};
}

std::unique_ptr<TimingWork> gpu_timing_work(engine::Transport&, JobSeats, int) {
  return std::make_unique<NoGpuRank>();
}

}  // namespace quintet::calibrate
