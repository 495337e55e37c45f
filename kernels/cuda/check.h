// The one check of CUDA's return codes: what fails ends the step with its name, place and text.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace quintet::kernels::cuda {

class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw CudaError(std::string("CUDA: ") + what + ": " + cudaGetErrorName(code) + ", " +
                  cudaGetErrorString(code));
}

}  // namespace quintet::kernels::cuda
