// What a JSON file is, without reading all of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quintet {

// The keys of the outermost object, in their order, as far as the text goes: it may be cut off, and
// what is wrong behind them is not looked at. None where it begins as something else.
std::vector<std::string> outer_keys(std::string_view text);

}  // namespace quintet
