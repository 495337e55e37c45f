// Text into the words within which GPT-2 merges, by its pattern (openai/gpt-2, src/encoder.py):
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <string_view>

namespace quintet {

// The word at the front; `text` is not empty. Bytes that are no UTF-8 count as neither letter,
// number nor space.
std::string_view first_word(std::string_view text);

}  // namespace quintet
