// Windows on files and on bytes in memory. What is given must live as long as the window.
#pragma once

#include <string>
#include <string_view>

#include "sim/packing/byte_source.h"
#include "sim/timeline/reading_progress.h"
#include "traces/json_stream/json_window.h"

namespace quintet::json_stream {

// `progress` is told of the file's bytes as they lie on the disk; it may throw.
JsonWindow window_on(ByteSource& source, const ReadingProgress& progress, std::string where);
JsonWindow window_on(std::string_view& text, const ReadingProgress& progress, std::string where);

}  // namespace quintet::json_stream
