#include "traces/json_stream/escapes.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace quintet::json_stream {
namespace {

// Of four hexadecimal digits; nothing: they are none.
std::optional<std::uint32_t> code_unit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  const char* first = text.data() + at;
  const auto [stopped, wrong] = std::from_chars(first, first + 4, value, 16);
  if (wrong != std::errc{} || stopped != first + 4) return std::nullopt;
  return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xC0 | code >> 6), add(0x80 | (code & 0x3F));
  if (code < 0x10000)
    return add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
  add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F));
  add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
}

// What follows "\u" at `at`; returns how much of it was taken, 0: it is no character.
std::size_t append_code(std::string& text, std::string_view from, std::size_t at) {
  const auto first = code_unit(from, at);
  if (!first) return 0;
  const bool high = *first >= 0xD800 && *first < 0xDC00;
  if (high && at + 6 <= from.size() && from[at + 4] == '\\' && from[at + 5] == 'u') {
    const auto second = code_unit(from, at + 6);
    if (second && *second >= 0xDC00 && *second < 0xE000) {
      append_utf8(text, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
      return 10;
    }
  }
  const bool alone = *first >= 0xD800 && *first < 0xE000;  // half a character
  append_utf8(text, alone ? 0xFFFD : *first);
  return 4;
}

// Of the character after a backslash; 0: it is none of JSON's.
char escape_of(char character) {
  switch (character) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
      return character;
    default:
      return 0;
  }
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
    } else if (const char escaped = escape_of(text[at + 1])) {
      plain += escaped;
      ++at;
    } else if (const std::size_t taken =
                   text[at + 1] == 'u' ? append_code(plain, text, at + 2) : 0) {
      at += 1 + taken;
    } else {
      plain += '\\';
    }
  }
  return plain;
}

}  // namespace quintet::json_stream
