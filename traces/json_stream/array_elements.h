// A short JSON array cut into its elements.
#pragma once

#include <string_view>
#include <vector>

namespace quintet::json_stream {

// As they stand, without white space around them; strings keep their quotes. Empty: it is no array.
std::vector<std::string_view> array_elements(std::string_view array);

// Between its quotes, as it stands; the text itself where it has none.
std::string_view without_quotes(std::string_view text);

}  // namespace quintet::json_stream
