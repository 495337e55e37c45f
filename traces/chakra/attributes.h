// Attributes of nodes by name: what a reader of any of the file's forms hands over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

// Files of different programs say the same in different types: any integer is one.
struct AttributeValue {
  enum class Kind : std::uint8_t { none, integer, real, text, flags };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  // what is larger is the largest
  double real = 0;
  std::string_view text;
  bool all_set = true;  // of flags
};
AttributeValue integer_value(std::int64_t value);
AttributeValue integer_value(std::uint64_t value);

// Takes over what the attribute says; names that nothing here needs are passed over. The text says
// what is wrong with the value.
std::optional<std::string> take_attribute(Node& node, std::string_view name,
                                          const AttributeValue& value);

}  // namespace quintet::chakra
