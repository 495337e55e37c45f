#include "engine/files/data/utf8.h"

#include <cstdint>

namespace quintet {
namespace {

struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t least;  // below: an overlong form
};

std::optional<Lead> lead_of(std::uint8_t byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if (byte >= 0xC0 && byte < 0xE0) return Lead{2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return Lead{3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF8) return Lead{4, byte & 0x07u, 0x10000};
  return std::nullopt;
}

char tail_byte(char32_t bits) {
  return static_cast<char>(0x80 | (bits & 0x3F));
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const std::optional<Lead> lead = lead_of(static_cast<std::uint8_t>(text.front()));
  if (!lead || lead->length > text.size()) return {};
  char32_t point = lead->bits;
  for (std::size_t i = 1; i < lead->length; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    point = point << 6 | (byte & 0x3Fu);
  }
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < lead->least || point > 0x10FFFF || surrogate) return {};
  return {point, lead->length};
}

void append_utf8(std::string& text, char32_t code_point) {
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | code_point >> 6);
    text += tail_byte(code_point);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | code_point >> 12);
    text += {tail_byte(code_point >> 6), tail_byte(code_point)};
  } else {
    text += static_cast<char>(0xF0 | code_point >> 18);
    text += {tail_byte(code_point >> 12), tail_byte(code_point >> 6), tail_byte(code_point)};
  }
}

}  // namespace quintet
