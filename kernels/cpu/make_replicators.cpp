// Compiled once per target but without the target's instructions: it uses the standard library.
#include "kernels/cpu/cpu_replicators.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {

std::unique_ptr<ReplicatorKernels> make_replicators();

std::unique_ptr<ReplicatorKernels> make_replicators() {
  return std::make_unique<CpuReplicators>();
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
