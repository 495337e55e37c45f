// Finds and opens libcupti when the program runs: the module works without.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/cupti_functions.h"
#include "kernels/cuda/library_places.h"

namespace quintet::kernels::cuda {

// NVIDIA's, and the folder of its own that CUPTI has in a toolkit.
std::vector<std::string> cupti_places(const EnvironmentVariables& variables);

struct OpenedCupti {
  std::optional<CuptiFunctions> functions;
  std::string place;
  std::string why_not;  // in plain words
};

// Tried in order; what opens is never closed again. Of CUDA 13, whose records we were built with,
// from update 1 on: CUPTI 13.0.0 crashes in a flush and locks up when it is turned off.
OpenedCupti open_cupti(const std::vector<std::string>& places);

// "13.0.1" of 130001.
std::string cupti_version_text(std::uint32_t version);

// Why CUPTI refuses, in plain words.
std::string cupti_refusal(const CuptiFunctions& cupti, CUptiResult code);

}  // namespace quintet::kernels::cuda
