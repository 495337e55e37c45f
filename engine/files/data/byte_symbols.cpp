#include "engine/files/data/byte_symbols.h"

#include <array>

#include "engine/files/data/characters.h"

namespace quintet {
namespace {

constexpr std::size_t highest_symbol = 0x143;  // 0x100 and the 68 bytes that do not print

bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Tables {
  std::array<char32_t, 256> symbols{};
  std::array<std::optional<std::uint8_t>, highest_symbol + 1> bytes{};
};

Tables make_tables() {
  Tables tables;
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t symbol = stands_for_itself(byte) ? char32_t{byte} : next++;
    tables.symbols[byte] = symbol;
    tables.bytes[symbol] = static_cast<std::uint8_t>(byte);
  }
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

}  // namespace

char32_t symbol_of(std::uint8_t byte) {
  return tables().symbols[byte];
}

std::optional<std::string> bytes_of_symbols(std::string_view symbols) {
  std::string bytes;
  while (!symbols.empty()) {
    const Utf8Character read = first_character(symbols);
    if (!read.code_point || *read.code_point > highest_symbol) return std::nullopt;
    const std::optional<std::uint8_t> byte = tables().bytes[*read.code_point];
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
    symbols.remove_prefix(read.length);
  }
  return bytes;
}

std::string symbols_of_bytes(std::string_view bytes) {
  std::string symbols;
  for (const char byte : bytes) append_utf8(symbols, symbol_of(static_cast<std::uint8_t>(byte)));
  return symbols;
}

}  // namespace quintet
