// Any trace or workload that can be replayed, whoever wrote it, told by how its file begins.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "sim/timeline/timeline.h"
#include "traces/workload/workload.h"

namespace quintet {

struct ReadingWishes {
  std::string step;  // of traces that hold several: which, by the name of its range
};

struct ReadWorkload {
  Workload workload;
  std::string format;                  // "Quintet timeline", "Kineto"
  std::optional<Timeline> original{};  // of a timeline of ours: itself
};

// Whether a file begins as one of another program's that can be read here.
bool is_foreign_trace(const std::filesystem::path& file);

// The files of one job: one file with all ranks, or one of each. All have one format. A folder
// stands for the files in it.
Result<ReadWorkload> read_workload(std::span<const std::filesystem::path> files,
                                   const ReadingWishes& wishes,
                                   const ReadingProgress& progress = {});

}  // namespace quintet
