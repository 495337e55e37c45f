// Finds and opens libcudnn when the program runs: the module works without.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/cudnn_functions.h"
#include "kernels/cuda/library_places.h"

namespace quintet::kernels::cuda {

inline constexpr LibraryName cudnn_name{"libcudnn.so.9", "QUINTET_CUDNN_LIBRARY", "cudnn"};

struct OpenedCudnn {
  std::optional<CudnnFunctions> functions;
  std::string place;
  std::string why_not;  // in plain words
};

// Tried in order; what opens is never closed again. cuDNN 9.6 or later: older ones want the
// backward pass's sums set to zero by the caller.
OpenedCudnn open_cudnn(const std::vector<std::string>& places);

// "9.19.0" of 91900.
std::string cudnn_version_text(std::size_t version);

}  // namespace quintet::kernels::cuda
