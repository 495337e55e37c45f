#include "tests/kernels/cuda_emulator/emulated_kernels.h"

#include "kernels/cuda/cuda_kernels.h"

namespace quintet::kernels {

std::unique_ptr<Kernels> emulated_cuda_kernels() {
  return std::make_unique<cuda::CudaKernels>();
}

}  // namespace quintet::kernels
