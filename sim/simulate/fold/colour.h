// Numbers that stand for what can be told apart: equal ones for what is alike, and hardly ever for
// anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/digest.h"

namespace quintet {

using Colour = std::uint64_t;

// One that equal pairs share, and hardly any others do.
inline Colour joined(Colour left, Colour right) {
  return spread_bits(left ^ (spread_bits(right) + 0x632be59bd9b4e019ULL));
}

inline Colour colour_of(double number) {
  Colour bits = 0;
  static_assert(sizeof bits == sizeof number);
  __builtin_memcpy(&bits, &number, sizeof bits);
  return spread_bits(bits);
}

// Colours become small numbers in order of first appearance; returns how many.
std::size_t compact(std::vector<Colour>& colours);

}  // namespace quintet
