// What stands in one element of a list, as text, by field: who needs a number makes one of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "traces/json_stream/escapes.h"

namespace quintet::json_stream {

// Field is an enum of at most 64.
template <class Field, std::size_t count>
class FieldTexts {
 public:
  bool has(Field field) const { return ((there_ >> static_cast<unsigned>(field)) & 1) != 0; }
  // Empty where it is not there. Strings are without quotes and escapes, lists are JSON; valid
  // while what was parsed and this are.
  std::string_view operator[](Field field) const {
    return has(field) ? texts_[static_cast<std::size_t>(field)] : std::string_view{};
  }
  void put(Field field, std::string_view text) {
    texts_[static_cast<std::size_t>(field)] = text;
    there_ |= std::uint64_t{1} << static_cast<unsigned>(field);
  }
  // A string as it stands in the file, between its quotes.
  void put_escaped(Field field, std::string_view text) {
    if (text.find('\\') == std::string_view::npos) return put(field, text);
    put(field, unescaped_.emplace_back(unescaped(text)));
  }
  void clear() {
    there_ = 0;
    unescaped_.clear();
  }

 private:
  static_assert(count <= 64);
  std::uint64_t there_ = 0;
  std::array<std::string_view, count> texts_;
  std::deque<std::string> unescaped_;
};

}  // namespace quintet::json_stream
