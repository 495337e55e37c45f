// Where a library of NVIDIA's may lie on a machine that we know nothing of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace quintet::kernels::cuda {

// The environment: nothing where a variable is not set.
using EnvironmentVariables = std::function<std::optional<std::string>(const char*)>;

struct LibraryName {
  const char* file;      // "libcudnn.so.9"
  const char* variable;  // names the one place to look in
  const char* package;   // its own folder among NVIDIA's Python packages: "cudnn"
};

// Best first: what the variable names and nothing else; the toolkit that CUDA_HOME or CUDA_PATH
// names; the default toolkit; the system's libraries; NVIDIA's Python packages, of VIRTUAL_ENV, of
// the first python3 on PATH, of HOME/.local and of the system.
std::vector<std::string> library_places(const LibraryName& name,
                                        const EnvironmentVariables& variables);

}  // namespace quintet::kernels::cuda
