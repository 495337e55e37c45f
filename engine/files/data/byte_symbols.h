// The characters that stand for bytes in GPT-2's vocabulary files (openai/gpt-2, src/encoder.py,
// bytes_to_unicode): printable bytes for themselves, the others for U+0100 and on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quintet {

// Every byte has one of its own, below U+0144.
char32_t symbol_of(std::uint8_t byte);
// Nothing when a character stands for no byte.
std::optional<std::string> bytes_of_symbols(std::string_view symbols);
std::string symbols_of_bytes(std::string_view bytes);

}  // namespace quintet
