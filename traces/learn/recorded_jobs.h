// Recordings to learn from: read as what each rank's profiler wrote, and put together as a job.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// Whether a file begins as one that rank_traces() takes: Kineto, PyTorch's execution traces, Nsight
// Systems, NCCL's profiler, Perfetto.
bool is_recording(const std::filesystem::path& file);
// Whether it is a timeline of this project's.
bool is_own_timeline(const std::filesystem::path& file);

// The files of one job, of one of these formats. Beside Kineto's traces may stand as many execution
// traces, in the same order. The error says which file is of none or of another.
Result<std::vector<RankTrace>> rank_traces(std::span<const std::filesystem::path> files,
                                           const ReadingProgress& progress = {});

}  // namespace quintet
