// A file's text, or why it cannot be read.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

// The whole file, refused above `limit` or when it is not a regular file; the error names the file
// and the cause.
Result<std::string> read_text_file(const std::filesystem::path& file, Bytes limit = Bytes{64e6});

}  // namespace quintet
