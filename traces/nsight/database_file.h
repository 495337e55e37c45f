// Whether a file can be a whole SQLite database, by its header.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace quintet::nsight {

// Of a file of `size` bytes that begins so: 100 bytes of it are enough.
std::optional<Error> not_a_database(const std::string& where, std::string_view beginning,
                                    std::size_t size);
// Its bytes; fails where it cannot be read, is packed, cut off or something else.
Result<std::size_t> size_of_database(const std::filesystem::path& file);

}  // namespace quintet::nsight
