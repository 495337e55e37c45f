// Timelines of ours, and what other programs recorded.
#pragma once

#include <filesystem>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "sim/timeline/timeline.h"

namespace quintet::gui {

// Other programs' traces where the window was built with what reads them (traces/readers): of one
// file, as `quintet replay` takes it. Of a format that says nothing of times there is no timeline.
Result<Timeline> read_any_timeline(const std::filesystem::path& file,
                                   const ReadingProgress& progress);

}  // namespace quintet::gui
