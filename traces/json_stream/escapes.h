// Strings as they stand in JSON.
#pragma once

#include <string>
#include <string_view>

namespace quintet::json_stream {

// Without JSON's escapes; what is none stays as it is, for profilers have written Windows paths.
std::string unescaped(std::string_view text);

}  // namespace quintet::json_stream
