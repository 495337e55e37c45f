#include "kernels/cuda/cudnn_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace quintet::kernels::cuda {

namespace {

constexpr std::size_t oldest_version = 90600;  // major * 10000 + minor * 100 + patch

template <class Function>
void find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

std::string fill(void* library, CudnnFunctions& cudnn) {
  std::string missing;
  find(library, "cudnnGetVersion", cudnn.version, missing);
  find(library, "cudnnGetErrorString", cudnn.error_text, missing);
  find(library, "cudnnGetLastErrorString", cudnn.last_error, missing);
  find(library, "cudnnCreate", cudnn.create_handle, missing);
  find(library, "cudnnDestroy", cudnn.destroy_handle, missing);
  find(library, "cudnnSetStream", cudnn.set_stream, missing);
  find(library, "cudnnBackendCreateDescriptor", cudnn.create, missing);
  find(library, "cudnnBackendDestroyDescriptor", cudnn.destroy, missing);
  find(library, "cudnnBackendSetAttribute", cudnn.set, missing);
  find(library, "cudnnBackendGetAttribute", cudnn.get, missing);
  find(library, "cudnnBackendFinalize", cudnn.finalize, missing);
  find(library, "cudnnBackendExecute", cudnn.execute, missing);
  return missing;
}

// Why not; empty: it is open.
std::string try_to_open(const std::string& place, CudnnFunctions& functions) {
  void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const std::string missing = fill(library, functions);
  if (!missing.empty()) return place + " lacks " + missing;
  const std::size_t version = functions.version();
  if (version < oldest_version)
    return place + " is cuDNN " + cudnn_version_text(version) + "; 9.6 or later is needed";
  return {};
}

}  // namespace

OpenedCudnn open_cudnn(const std::vector<std::string>& places) {
  std::string reasons;
  for (const std::string& place : places) {
    std::error_code none;
    const bool only_a_name = place.find('/') == std::string::npos;
    if (!only_a_name && places.size() > 1 && !std::filesystem::exists(place, none)) continue;
    CudnnFunctions functions;
    const std::string why_not = try_to_open(place, functions);
    if (why_not.empty()) return {functions, place, {}};
    reasons += (reasons.empty() ? "" : "; ") + why_not;
  }
  return {std::nullopt, {}, reasons.empty() ? "there is no place to look in" : reasons};
}

std::string cudnn_version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace quintet::kernels::cuda
