// What outsiders wrote, made fit for a message: it may be megabytes long or hold control
// characters, and a message stays one line of valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace quintet {

std::string shown(std::string_view text);
std::string in_quotes(std::string_view text);

}  // namespace quintet
