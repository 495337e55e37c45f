#include "kernels/cuda/cublaslt_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace quintet::kernels::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libcublasLt.so.13";
constexpr std::size_t oldest_version = 130000;  // major * 10000 + minor * 100 + patch

// Of the folders lib/pythonX/site-packages (dist-packages) under `prefix`: CUDA 13's wheels keep
// all libraries in nvidia/cu13, older ones each in its own.
void add_python_packages(std::vector<std::string>& places, const fs::path& prefix) {
  std::error_code none;
  for (const auto& python : fs::directory_iterator(prefix / "lib", none))
    for (const char* const packages : {"site-packages", "dist-packages"})
      for (const char* const nvidia : {"nvidia/cu13/lib", "nvidia/cublas/lib"}) {
        const fs::path file = python.path() / packages / nvidia / file_name;
        if (fs::exists(file, none)) places.push_back(file);
      }
}

template <class Function>
void find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

std::string fill(void* library, CublasLtFunctions& lt) {
  std::string missing;
  find(library, "cublasLtGetVersion", lt.version, missing);
  find(library, "cublasLtCreate", lt.create, missing);
  find(library, "cublasLtDestroy", lt.destroy, missing);
  find(library, "cublasLtMatmulDescCreate", lt.operation_create, missing);
  find(library, "cublasLtMatmulDescDestroy", lt.operation_destroy, missing);
  find(library, "cublasLtMatmulDescSetAttribute", lt.operation_set, missing);
  find(library, "cublasLtMatrixLayoutCreate", lt.layout_create, missing);
  find(library, "cublasLtMatrixLayoutDestroy", lt.layout_destroy, missing);
  find(library, "cublasLtMatmulPreferenceCreate", lt.preference_create, missing);
  find(library, "cublasLtMatmulPreferenceDestroy", lt.preference_destroy, missing);
  find(library, "cublasLtMatmulPreferenceSetAttribute", lt.preference_set, missing);
  find(library, "cublasLtMatmulAlgoGetHeuristic", lt.heuristic, missing);
  find(library, "cublasLtMatmul", lt.multiply, missing);
  return missing;
}

// Why not; empty: it is open.
std::string try_to_open(const std::string& place, CublasLtFunctions& functions) {
  void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const std::string missing = fill(library, functions);
  if (!missing.empty()) return place + " lacks " + missing;
  const std::size_t version = functions.version();
  if (version < oldest_version)
    return place + " is cuBLASLt " + cublaslt_version_text(version) + "; 13.0 or later is needed";
  return {};
}

}  // namespace

std::vector<std::string> cublaslt_places(const Variables& variables) {
  if (const auto named = variables("QUINTET_CUBLASLT_LIBRARY")) return {*named};
  std::vector<std::string> places;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto toolkit = variables(variable))
      places.push_back(fs::path(*toolkit) / "lib64" / file_name);
  places.push_back(fs::path("/usr/local/cuda/lib64") / file_name);
  places.push_back(file_name);
  if (const auto prefix = variables("VIRTUAL_ENV")) add_python_packages(places, *prefix);
  if (const auto home = variables("HOME")) add_python_packages(places, fs::path(*home) / ".local");
  for (const char* const prefix : {"/usr/local", "/usr"}) add_python_packages(places, prefix);
  return places;
}

OpenedCublasLt open_cublaslt(const std::vector<std::string>& places) {
  std::string reasons;
  for (const std::string& place : places) {
    std::error_code none;
    const bool only_a_name = place.find('/') == std::string::npos;
    if (!only_a_name && places.size() > 1 && !fs::exists(place, none)) continue;
    CublasLtFunctions functions;
    const std::string why_not = try_to_open(place, functions);
    if (why_not.empty()) return {functions, place, {}};
    reasons += (reasons.empty() ? "" : "; ") + why_not;
  }
  return {std::nullopt, {}, reasons.empty() ? "there is no place to look in" : reasons};
}

std::string cublaslt_version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace quintet::kernels::cuda
