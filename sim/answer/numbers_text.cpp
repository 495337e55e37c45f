#include "sim/answer/numbers_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace quintet {

std::string grouped(double whole) {
  std::string digits = fmt::format("{:.0f}", whole);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string in_words(double value) {
  constexpr std::array<std::pair<double, const char*>, 3> words{
      {{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}}};
  for (const auto& [size, word] : words)
    if (value >= 0.9995 * size) return fmt::format("{:.3g} {}", value / size, word);
  return grouped(value);
}

std::string paragraph(const std::string& key, const std::string& text) {
  constexpr std::size_t from = 13, most = 100;
  std::string lines, line = fmt::format("  {:<{}}", key, from - 2);
  bool has_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (has_word && line.size() + 1 + word.size() > most) {
      lines += line + "\n";
      line = std::string(from, ' ');
      has_word = false;
    }
    line += (has_word ? " " : "") + word;
    has_word = true;
    at = end + 1;
  }
  return lines + line + "\n";
}

}  // namespace quintet
