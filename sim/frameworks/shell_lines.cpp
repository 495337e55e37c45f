#include "sim/frameworks/shell_lines.h"

#include <cctype>
#include <string>
#include <string_view>

namespace quintet {

bool in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool ends_word(char letter) {
  return letter == '\0' || std::isspace(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view(";&|()<>").find(letter) != std::string_view::npos;
}

void forget_lines(std::vector<ShellWord>& words) {
  for (ShellWord& word : words) std::erase(word.text, line_went_on);
}

std::vector<ShellWord> split_at_blanks(const ShellWord& value) {
  std::vector<ShellWord> words;
  int line = value.line;
  bool inside = false;
  for (const char letter : value.text) {
    if (letter == '\n' || letter == line_went_on) ++line;
    if (letter == line_went_on) continue;
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
      inside = false;
      continue;
    }
    if (!inside) words.push_back({"", line, value.unknown});
    inside = true;
    words.back().text += letter;
  }
  if (words.size() == 1) words.front().line = 0;
  return words;
}

}  // namespace quintet
