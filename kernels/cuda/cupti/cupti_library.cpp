#include "kernels/cuda/cupti/cupti_library.h"

#include <array>
#include <filesystem>

namespace quintet::kernels::cuda {

namespace {

namespace fs = std::filesystem;

constexpr LibraryName cupti_name{"libcupti.so.13", "QUINTET_CUPTI_LIBRARY", "cuda_cupti"};
constexpr std::uint32_t oldest_version = 130001;  // major * 10000 + minor * 100 + update
constexpr std::uint32_t first_unknown_version = 140000;

void find_all(Symbols& library, CuptiFunctions& cupti) {
  library.find("cuptiGetVersion", cupti.version);
  library.find("cuptiGetResultString", cupti.result_text);
  library.find("cuptiSubscribe", cupti.subscribe);
  library.find("cuptiUnsubscribe", cupti.unsubscribe);
  library.find("cuptiEnableCallback", cupti.enable_callback);
  library.find("cuptiGetGraphNodeId", cupti.graph_node);
  library.find("cuptiActivityRegisterTimestampCallback", cupti.set_clock);
  library.find("cuptiActivitySetAttribute", cupti.set_attribute);
  library.find("cuptiActivityRegisterCallbacks", cupti.set_buffers);
  library.find("cuptiActivityEnable", cupti.enable);
  library.find("cuptiActivityDisable", cupti.disable);
  library.find("cuptiActivityEnableRuntimeApi", cupti.enable_runtime_call);
  library.find("cuptiActivityEnableDriverApi", cupti.enable_driver_call);
  library.find("cuptiActivityPushExternalCorrelationId", cupti.push);
  library.find("cuptiActivityPopExternalCorrelationId", cupti.pop);
  library.find("cuptiActivityFlushAll", cupti.flush);
  library.find("cuptiActivityGetNextRecord", cupti.next_record);
  library.find("cuptiActivityGetNumDroppedRecords", cupti.dropped);
}

// Nothing where this one will do.
std::string refusal_of_version(const CuptiFunctions& cupti) {
  std::uint32_t version = 0;
  if (cupti.version(&version) != CUPTI_SUCCESS) return "does not tell its version";
  if (version >= oldest_version && version < first_unknown_version) return {};
  return "is CUPTI " + library_version_text(version) + "; 13.0.1 or later of version 13 is needed";
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
  CuptiFunctions functions;
  const OpenedPlace opened = open_first(places, [&](Symbols& symbols) {
    find_all(symbols, functions);
    return symbols.missing().empty() ? refusal_of_version(functions) : "lacks " + symbols.missing();
  });
  if (opened.place.empty()) return {std::nullopt, {}, opened.why_not};
  return {functions, opened.place, {}};
}

std::string cupti_refusal(const CuptiFunctions& cupti, CUptiResult code) {
  for (const Refusal& each : refusals)
    if (each.code == code) return each.words;
  const char* text = nullptr;
  if (cupti.result_text(code, &text) != CUPTI_SUCCESS || text == nullptr) text = "an unknown error";
  return std::string("it says ") + text + " (" + std::to_string(static_cast<int>(code)) + ")";
}

}  // namespace quintet::kernels::cuda
