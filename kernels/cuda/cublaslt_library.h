// Finds and opens libcublasLt when the program runs: it is half a gigabyte, and the module works
// without.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/cublaslt_functions.h"

namespace quintet::kernels::cuda {

// The environment: nothing where a variable is not set.
using Variables = std::function<std::optional<std::string>(const char*)>;

// Best first: what QUINTET_CUBLASLT_LIBRARY names and nothing else; the toolkit that CUDA_HOME or
// CUDA_PATH names; the default toolkit; the system's libraries; NVIDIA's Python packages.
std::vector<std::string> cublaslt_places(const Variables& variables);

struct OpenedCublasLt {
  std::optional<CublasLtFunctions> functions;
  std::string place;
  std::string why_not;  // in plain words
};

// Tried in order; what opens is never closed again. cuBLASLt 13 or later.
OpenedCublasLt open_cublaslt(const std::vector<std::string>& places);

// "13.0.2" of 130002.
std::string cublaslt_version_text(std::size_t version);

}  // namespace quintet::kernels::cuda
