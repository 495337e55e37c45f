#include "kernels/cpu/targets.h"
#include "kernels/replicator.h"

namespace quintet::kernels {

namespace portable {
std::unique_ptr<ReplicatorKernels> make_replicators();
}
#if defined(QUINTET_X86)
namespace exact_avx512 {
std::unique_ptr<ReplicatorKernels> make_replicators();
}
namespace fused_avx2 {
std::unique_ptr<ReplicatorKernels> make_replicators();
}
namespace fused_avx512 {
std::unique_ptr<ReplicatorKernels> make_replicators();
}

std::unique_ptr<ReplicatorKernels> replicator_kernels() {
  switch (fastest_target()) {
    case CpuTarget::portable:
      return portable::make_replicators();
    case CpuTarget::exact_avx512:
      return exact_avx512::make_replicators();
    case CpuTarget::fused_avx2:
      return fused_avx2::make_replicators();
    case CpuTarget::fused_avx512:
      return fused_avx512::make_replicators();
  }
  return nullptr;
}
#else
std::unique_ptr<ReplicatorKernels> replicator_kernels() {
  return portable::make_replicators();
}
#endif

}  // namespace quintet::kernels
