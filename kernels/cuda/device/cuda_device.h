// One GPU through the CUDA runtime.
#pragma once

#include "kernels/device.h"

namespace quintet::kernels::cuda {

// Throws CudaError where the GPU cannot be used.
std::unique_ptr<Device> open_device(int number);

}  // namespace quintet::kernels::cuda
