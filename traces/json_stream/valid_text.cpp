#include "traces/json_stream/valid_text.h"

#include <cstdint>

namespace quintet::json_stream {
namespace {

std::uint8_t byte_at(std::span<const char> text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
}

// Bytes of the character that begins at `at`; 0: none does (RFC 3629, section 4).
std::size_t character_size(std::span<const char> text, std::size_t at) {
  const std::uint8_t first = byte_at(text, at), second = byte_at(text, at + 1);
  if (first < 0x80) return 1;
  const auto follows = [&](std::size_t ahead) {
    return (byte_at(text, at + ahead) & 0xC0) == 0x80;
  };
  if (first < 0xC2 || first > 0xF4 || !follows(1)) return 0;
  if (first < 0xE0) return 2;
  if (!follows(2)) return 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0,
               surrogate = first == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
  return overlong || beyond || !follows(3) ? 0 : 4;
}

}  // namespace

std::size_t make_valid(std::span<char> json) {
  std::size_t replaced = 0;
  bool in_string = false, escaped = false;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t size = character_size(json, at);
    char& character = json[at];
    if (size == 0) {
      character = '?';
      ++replaced;
    } else if (in_string && static_cast<unsigned char>(character) < ' ') {
      character = ' ';
      ++replaced;
    }
    if (escaped) {
      escaped = false;
    } else if (in_string && character == '\\') {
      escaped = true;
    } else if (character == '"') {
      in_string = !in_string;
    }
    at += size == 0 ? 1 : size;
  }
  return replaced;
}

}  // namespace quintet::json_stream
