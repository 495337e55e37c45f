// Sums of money that are known within a range. Nobody publishes what is really paid for a GPU, so
// that one figure would say more than is known.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

// low <= usual <= high. Sums and multiples are taken end by end: all prices low together, or all
// high, which is wider than if they were independent.
struct Amounts {
  Dollars low, usual, high;
  bool operator==(const Amounts&) const = default;
};

constexpr Amounts operator+(const Amounts& left, const Amounts& right) {
  return {left.low + right.low, left.usual + right.usual, left.high + right.high};
}
constexpr Amounts operator*(double times, const Amounts& one) {
  return {times * one.low, times * one.usual, times * one.high};
}

// "25000 $", "3.1 M$", "0.08 $": k and M are thousands and millions. The error says what would do.
Result<Dollars> parse_dollars(std::string_view text);
// Readable by parse_dollars(), to the same value.
std::string text(Dollars amount);

}  // namespace quintet
