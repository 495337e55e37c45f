#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/result.h"

namespace quintet {

// In the place of what was there. The error names the file and says why.
std::optional<Error> write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace quintet
