// The classes of characters that GPT-2's pattern tells apart.
#pragma once

namespace quintet {

// \p{L}, \p{N}, \s, and what is none of them.
enum class CharacterClass { letter, number, space, other };

CharacterClass class_of(char32_t code_point);

}  // namespace quintet
