// Letters and lines of a script: what ends a word, and where the words of a quoted value stand.
#pragma once

#include <vector>

#include "sim/frameworks/shell_text.h"

namespace quintet {

// Letters, digits and "_".
bool in_name(char letter);
// Blanks, ends of lines and of the text (0), and what stands between commands.
bool ends_word(char letter);

// Stands in a quoted text where a line went on behind a backslash, so that its words know theirs.
inline constexpr char line_went_on = '\x01';

void forget_lines(std::vector<ShellWord>& words);

// The words of a value at its blanks, each with its line; of one word the line is 0, that of
// whoever uses it.
std::vector<ShellWord> split_at_blanks(const ShellWord& value);

}  // namespace quintet
