// libcudnn, which the module works without.
#pragma once

#include "kernels/cuda/cudnn/cudnn_functions.h"
#include "kernels/library_places.h"
#include "kernels/open_library.h"

namespace quintet::kernels::cuda {

inline constexpr LibraryName cudnn_name{"libcudnn.so.9", "QUINTET_CUDNN_LIBRARY", "cudnn"};

using OpenedCudnn = OpenedLibrary<CudnnFunctions>;

// cuDNN 9.6 or later: older ones want the backward pass's sums set to zero by the caller.
OpenedCudnn open_cudnn(const std::vector<std::string>& places);

}  // namespace quintet::kernels::cuda
