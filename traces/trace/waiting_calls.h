// Calls of CUDA that wait, by their names: "cudaStreamSynchronize".
#pragma once

#include <optional>
#include <string_view>

#include "traces/trace/rank_trace.h"

namespace quintet {

// None: it does not wait. Which stream or event it waits for, its name does not say.
std::optional<RecordedWait::Kind> wait_named(std::string_view call);

// "cudaLaunchKernel_v7000" is cudaLaunchKernel, with the parameters of that version.
std::string_view without_version(std::string_view call);

}  // namespace quintet
