#include "engine/files/data/unicode_classes.h"

#include <algorithm>
#include <array>

#include "engine/files/data/unicode_ranges.h"

namespace quintet {
namespace {

bool lies_in(std::span<const CodePointRange> ranges, char32_t code_point) {
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), code_point,
      [](char32_t point, const CodePointRange& range) { return point < range.first; });
  return after != ranges.begin() && code_point <= std::prev(after)->last;
}

CharacterClass looked_up(char32_t code_point) {
  if (lies_in(letter_ranges(), code_point)) return CharacterClass::letter;
  if (lies_in(number_ranges(), code_point)) return CharacterClass::number;
  if (lies_in(space_ranges(), code_point)) return CharacterClass::space;
  return CharacterClass::other;
}

std::array<CharacterClass, 128> ascii_table() {
  std::array<CharacterClass, 128> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = looked_up(static_cast<char32_t>(i));
  return table;
}

}  // namespace

CharacterClass class_of(char32_t code_point) {
  static const std::array<CharacterClass, 128> ascii = ascii_table();
  return code_point < ascii.size() ? ascii[code_point] : looked_up(code_point);
}

}  // namespace quintet
