#include "kernels/cuda/cuda_kernels.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {

std::vector<Implementation> implementations() {
  return {{"emulated_cuda", [] { return std::make_unique<cuda::CudaKernels>(); }, Sums::split_exactly}};
}

}  // namespace quintet::kernels
