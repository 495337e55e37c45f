#include "kernels/cuda/cupti_library.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

namespace quintet::kernels::cuda {

namespace {

namespace fs = std::filesystem;

constexpr LibraryName cupti_name{"libcupti.so.13", "QUINTET_CUPTI_LIBRARY", "cuda_cupti"};
constexpr std::uint32_t oldest_version = 130001;  // major * 10000 + minor * 100 + update
constexpr std::uint32_t first_unknown_version = 140000;

template <class Function>
void find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

std::string fill(void* library, CuptiFunctions& cupti) {
  std::string missing;
  find(library, "cuptiGetVersion", cupti.version, missing);
  find(library, "cuptiGetResultString", cupti.result_text, missing);
  find(library, "cuptiSubscribe", cupti.subscribe, missing);
  find(library, "cuptiUnsubscribe", cupti.unsubscribe, missing);
  find(library, "cuptiEnableCallback", cupti.enable_callback, missing);
  find(library, "cuptiGetGraphNodeId", cupti.graph_node, missing);
  find(library, "cuptiActivityRegisterTimestampCallback", cupti.set_clock, missing);
  find(library, "cuptiActivitySetAttribute", cupti.set_attribute, missing);
  find(library, "cuptiActivityRegisterCallbacks", cupti.set_buffers, missing);
  find(library, "cuptiActivityEnable", cupti.enable, missing);
  find(library, "cuptiActivityDisable", cupti.disable, missing);
  find(library, "cuptiActivityEnableRuntimeApi", cupti.enable_runtime_call, missing);
  find(library, "cuptiActivityEnableDriverApi", cupti.enable_driver_call, missing);
  find(library, "cuptiActivityPushExternalCorrelationId", cupti.push, missing);
  find(library, "cuptiActivityPopExternalCorrelationId", cupti.pop, missing);
  find(library, "cuptiActivityFlushAll", cupti.flush, missing);
  find(library, "cuptiActivityGetNextRecord", cupti.next_record, missing);
  find(library, "cuptiActivityGetNumDroppedRecords", cupti.dropped, missing);
  return missing;
}

// Why not; empty: it is open.
std::string try_to_open(const std::string& place, CuptiFunctions& cupti) {
  void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const std::string missing = fill(library, cupti);
  if (!missing.empty()) return place + " lacks " + missing;
  std::uint32_t version = 0;
  if (cupti.version(&version) != CUPTI_SUCCESS) return place + " does not tell its version";
  if (version < oldest_version || version >= first_unknown_version)
    return place + " is CUPTI " + cupti_version_text(version) +
           "; 13.0.1 or later of version 13 is needed";
  return {};
}

struct Refusal {
  CUptiResult code;
  const char* words;
};
constexpr std::array refusals{
    Refusal{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
            "another tool has taken it (Nsight, a debugger, another profiler)"},
    Refusal{CUPTI_ERROR_DISABLED, "another profiler that is on has turned it off"},
    Refusal{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
            "this user may not profile the GPU: the driver keeps that to administrators "
            "(NVreg_RestrictProfilingToAdminUsers)"},
    Refusal{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "it does not work on a virtual GPU"},
    Refusal{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
            "the hypervisor does not let this machine profile its GPU"},
    Refusal{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
            "it does not work while the GPU computes confidentially"},
    Refusal{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "it does not work on a slice of a GPU (MIG)"},
    Refusal{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "it does not work on this kind of GPU"},
    Refusal{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
            "it does not work under Windows' Linux subsystem"},
    Refusal{CUPTI_ERROR_NOT_INITIALIZED, "it does not reach the NVIDIA driver"},
};

}  // namespace

std::vector<std::string> cupti_places(const EnvironmentVariables& variables) {
  std::vector<std::string> places = library_places(cupti_name, variables);
  if (variables(cupti_name.variable)) return places;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto toolkit = variables(variable))
      places.push_back(fs::path(*toolkit) / "extras/CUPTI/lib64" / cupti_name.file);
  places.push_back(fs::path("/usr/local/cuda/extras/CUPTI/lib64") / cupti_name.file);
  return places;
}

OpenedCupti open_cupti(const std::vector<std::string>& places) {
  std::string reasons;
  for (const std::string& place : places) {
    std::error_code none;
    const bool only_a_name = place.find('/') == std::string::npos;
    if (!only_a_name && places.size() > 1 && !fs::exists(place, none)) continue;
    CuptiFunctions functions;
    const std::string why_not = try_to_open(place, functions);
    if (why_not.empty()) return {functions, place, {}};
    reasons += (reasons.empty() ? "" : "; ") + why_not;
  }
  return {std::nullopt, {}, reasons.empty() ? "there is no place to look in" : reasons};
}

std::string cupti_version_text(std::uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

std::string cupti_refusal(const CuptiFunctions& cupti, CUptiResult code) {
  for (const Refusal& each : refusals)
    if (each.code == code) return each.words;
  const char* text = nullptr;
  if (cupti.result_text(code, &text) != CUPTI_SUCCESS || text == nullptr) text = "an unknown error";
  return std::string("it says ") + text + " (" + std::to_string(static_cast<int>(code)) + ")";
}

}  // namespace quintet::kernels::cuda
