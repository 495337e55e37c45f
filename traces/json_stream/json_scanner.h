// Finds where JSON values begin and end without parsing them, some GB a second: for files that are
// parsed in pieces. Brackets inside strings are none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quintet::json_stream {

// Of an array whose first bytes after "[", or after an element, `text` begins with.
struct CompleteElements {
  std::size_t end = 0;  // just after the last object or array that ends in `text`; 0: none does
  std::optional<std::size_t> closed;  // where the array's own "]" is
};
CompleteElements complete_elements(std::string_view text);

// Reads over one value, piece by piece.
class ValueScanner {
 public:
  // Where the value ends in the piece that follows the pieces before, counted from its beginning;
  // nothing: it goes on. White space before the value is skipped.
  std::optional<std::size_t> end_in(std::string_view piece);

 private:
  enum class Shape { none, scalar, text, nested };
  std::optional<std::size_t> end_of_scalar(std::string_view piece, std::size_t from) const;
  std::optional<std::size_t> end_of_text(std::string_view piece, std::size_t from);
  std::optional<std::size_t> end_of_nested(std::string_view piece, std::size_t from);
  Shape shape_ = Shape::none;
  std::int64_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace quintet::json_stream
