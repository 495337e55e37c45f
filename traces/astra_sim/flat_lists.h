// The part of YAML that ASTRA-sim's network files use: "key: [ a, b ]" or "key: a" on a line of its
// own, comments, empty lines and one "---" before them. What else YAML may say is refused with its
// line.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

struct FlatList {
  std::string key;
  int line = 0;  // counted from 1
  std::vector<std::string> items;
  bool operator==(const FlatList&) const = default;
};

// In the file's order; a key that comes twice is refused. `where` is the file in errors.
Result<std::vector<FlatList>> flat_lists(const std::string& text, const std::string& where);

}  // namespace quintet
