#include "kernels/gpu_module.h"

#include <cuda_runtime.h>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device_recorder.h"

namespace quintet::kernels::cuda {

namespace {

// CUDA 13 says "insufficient driver" (35) where there is no driver at all, or, with the stub
// library on the path, "stub library" (34).
std::string in_plain_words(cudaError_t code) {
  int driver = 0;
  const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  if (code == cudaErrorNoDevice) return "the driver sees no NVIDIA GPU";
  if (code == cudaErrorDevicesUnavailable)
    return "all NVIDIA GPUs are taken by others (exclusive mode)";
  if (!has_driver || code == cudaErrorStubLibrary)
    return "no NVIDIA driver is loaded on this machine";
  if (code == cudaErrorInsufficientDriver)
    return "the NVIDIA driver (for CUDA " + std::to_string(driver / 1000) + "." +
           std::to_string(driver % 1000 / 10) + ") is older than CUDA " +
           std::to_string(CUDART_VERSION / 1000) + "." +
           std::to_string(CUDART_VERSION % 1000 / 10) + " needs";
  return std::string("CUDA says: ") + cudaGetErrorString(code);
}

FoundGpus find_gpus() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return {count, {}};
  return {0, code == cudaSuccess ? "the driver sees no NVIDIA GPU" : in_plain_words(code)};
}

constexpr Module module{module_version, find_gpus, open_device, open_recorder};

}  // namespace

}  // namespace quintet::kernels::cuda

extern "C" __attribute__((visibility("default"))) const quintet::kernels::cuda::Module*
quintet_cuda_module() {
  return &quintet::kernels::cuda::module;
}
