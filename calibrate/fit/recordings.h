// Recorded steps as measurements. Two files implement this: recordings.cpp where this build reads
// traces, and without_recordings.cpp.
#pragma once

#include <filesystem>
#include <span>

#include "calibrate/fit/measurements.h"
#include "sim/base/result.h"

namespace quintet::calibrate {

// Whether a file begins as a recording: PyTorch's profiler, Nsight Systems, NCCL's profiler,
// Perfetto, a timeline of ours. False of all where this build reads none.
bool is_recorded(const std::filesystem::path& file);

// Of one job: products, attention and kernels that memory bounds where operations tell their
// shapes, all steps' launches, and the last step's collectives from the arrival of the last rank
// on. A prediction is refused. `left_out` says what is not learnt from.
Result<Measurements> read_recordings(std::span<const std::filesystem::path> files);

}  // namespace quintet::calibrate
