// What tells Chakra's files from others, by their bytes alone.
#pragma once

#include <string_view>

namespace quintet::chakra {

// Whether a whole message has a GlobalMetadata's fields and no others: a node has.
bool is_metadata(std::string_view message);

}  // namespace quintet::chakra
