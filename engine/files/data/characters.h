// Characters as GPT-2's pattern tells them apart, read from and written as UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace quintet {

// \p{L}, \p{N}, \s, and what is none of them; of the Unicode version that utf8proc knows. A version
// moves nothing between the first three: it only takes from `other` what it newly assigns.
enum class CharacterClass { letter, number, space, other };

// Numbers that Unicode assigns to no character are `other`.
CharacterClass class_of(char32_t code_point);

struct Utf8Character {
  std::optional<char32_t> code_point;  // none: a byte that begins no character
  std::size_t length = 1;
};

// The character at the front; `text` is not empty. Overlong forms, surrogates and what is cut off
// are single bytes without a code point.
Utf8Character first_character(std::string_view text);

// `code_point` is one of Unicode's, no surrogate: 1 to 4 bytes.
void append_utf8(std::string& text, char32_t code_point);

}  // namespace quintet
