// The functions of the module that is loaded at run time (libquintet_cuda.so). Built with the
// same compiler as who loads it, so C++ types may pass.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/activity_recorder.h"
#include "kernels/device.h"

namespace quintet::kernels::cuda {

// Changes with kernels/device.h, kernels/activity_recorder.h, kernels/kernels.h and what they
// include, so that a module of another build is refused.
inline constexpr std::uint32_t module_version = 9;

struct FoundGpus {
  int count = 0;
  std::string why_none;  // in plain words
};

struct Module {
  std::uint32_t version = module_version;
  FoundGpus (*find_gpus)() = nullptr;
  std::unique_ptr<Device> (*open)(int number) = nullptr;
  OpenedRecorder (*open_recorder)() = nullptr;
};

inline constexpr const char* module_symbol = "quintet_cuda_module";

}  // namespace quintet::kernels::cuda
