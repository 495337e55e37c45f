#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/result.h"

namespace quintet {

// In the place of what was there. The error names the file and says why.
std::optional<Error> write_file(const std::filesystem::path& file, const std::string& text);

// Nothing wrong as far as can be seen beforehand: better known before the work than after it. The
// error names the option.
std::optional<Error> no_place(const std::string& option, const std::filesystem::path& file);

}  // namespace quintet
