// Reading timelines, whoever wrote them: a file's beginning says which reader takes it. To add one:
// its row in its own room, and the row's line in trace_readers.cpp.
#pragma once

#include <filesystem>
#include <string_view>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct TraceReader {
  std::string_view name;  // of the format, for messages
  // By what the first 4 KiB of the file hold, unpacked where gzip or zstd packed it, or all of it
  // if it is shorter.
  bool (*takes)(std::string_view beginning) = nullptr;
  Result<Timeline> (*read)(const std::filesystem::path& file,
                           const ReadingProgress& progress) = nullptr;
};

namespace readers {
extern const TraceReader chrome_trace;
}

// By the first reader that takes the file; the error names the formats where none does.
Result<Timeline> read_timeline(const std::filesystem::path& file,
                               const ReadingProgress& progress = {});

}  // namespace quintet
