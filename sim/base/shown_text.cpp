#include "sim/base/shown_text.h"

#include <algorithm>

namespace quintet {

std::string shown(std::string_view text, std::size_t longest) {
  std::size_t length = std::min(longest, text.size());
  // Never half a UTF-8 character: its second and later bytes are 10xxxxxx.
  while (length < text.size() && length > 0 && (text[length] & 0xC0) == 0x80) --length;
  std::string line(text.substr(0, length));
  for (char& character : line)
    if (static_cast<unsigned char>(character) < ' ') character = '?';
  return text.size() > longest ? line + "..." : line;
}

std::string in_quotes(std::string_view text) {
  return "\"" + shown(text) + "\"";
}

}  // namespace quintet
