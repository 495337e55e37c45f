// What outsiders wrote, made fit for a message: it may be megabytes long or hold control
// characters, and a message stays one line of valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quintet {

// At most `longest` bytes of it.
std::string shown(std::string_view text, std::size_t longest = 40);
std::string in_quotes(std::string_view text);

}  // namespace quintet
