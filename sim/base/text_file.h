// A file's text, or why it cannot be read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

// The whole file, refused above `limit` or when it is not a regular file; the error names the file
// and the cause.
Result<std::string> read_text_file(const std::filesystem::path& file, Bytes limit = Bytes{64e6});

// What is wrong with text that is to be UTF-8, if its first bytes say that it is of another
// encoding: UTF-16 or UTF-32, as some editors save.
std::optional<Error> other_encoding(const std::string& text, const std::string& where);

}  // namespace quintet
