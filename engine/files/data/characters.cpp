#include "engine/files/data/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace quintet {
namespace {

// The property White_Space beyond the categories Z (PropList.txt).
bool is_control_space(char32_t code_point) {
  return (code_point >= U'\t' && code_point <= U'\r') || code_point == 0x85;
}

}  // namespace

CharacterClass class_of(char32_t code_point) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  const auto within = [&](utf8proc_category_t first, utf8proc_category_t last) {
    return first <= category && category <= last;
  };
  if (within(UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO)) return CharacterClass::letter;
  if (within(UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO)) return CharacterClass::number;
  if (within(UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP) || is_control_space(code_point))
    return CharacterClass::space;
  return CharacterClass::other;
}

Utf8Character first_character(std::string_view text) {
  constexpr std::size_t longest = 4;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_int32_t point = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(
      bytes, static_cast<utf8proc_ssize_t>(std::min(text.size(), longest)), &point);
  if (length <= 0) return {};
  return {static_cast<char32_t>(point), static_cast<std::size_t>(length)};
}

void append_utf8(std::string& text, char32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes;
  const utf8proc_ssize_t length =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  text.append(bytes.begin(), bytes.begin() + length);
}

}  // namespace quintet
