// libcupti, which the module works without.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/cupti/cupti_functions.h"
#include "kernels/library_places.h"
#include "kernels/open_library.h"

namespace quintet::kernels::cuda {

// NVIDIA's, and the folder of its own that CUPTI has in a toolkit.
std::vector<std::string> cupti_places(const EnvironmentVariables& variables);

using OpenedCupti = OpenedLibrary<CuptiFunctions>;

// This takes the CUPTI of CUDA 13, whose records we were built with, from update 1 on: CUPTI 13.0.0
// crashes in a flush and locks up when it is turned off.
OpenedCupti open_cupti(const std::vector<std::string>& places);

// Why CUPTI refuses, in plain words.
std::string cupti_refusal(const CuptiFunctions& cupti, CUptiResult code);

}  // namespace quintet::kernels::cuda
