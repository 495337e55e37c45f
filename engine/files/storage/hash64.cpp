#include "engine/files/storage/hash64.h"

#include <xxhash.h>

#include <charconv>

namespace quintet {

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash64(std::string_view text, std::uint64_t seed) {
  return hash64(std::as_bytes(std::span(text.data(), text.size())), seed);
}

std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t digit = 16; digit-- > 0; number >>= 4)
    text[digit] = "0123456789abcdef"[number & 15];
  return text;
}

std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (text.size() != 16 || failure != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

}  // namespace quintet
