// The code points of the Unicode general categories L and N and of the property White_Space, as
// sorted ranges. unicode_ranges.cpp is written by make_unicode_ranges.pl.
#pragma once

#include <cstdint>
#include <span>

namespace quintet {

struct CodePointRange {
  char32_t first, last;
};

std::span<const CodePointRange> letter_ranges();
std::span<const CodePointRange> number_ranges();
std::span<const CodePointRange> space_ranges();

}  // namespace quintet
