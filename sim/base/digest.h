// A number for a state: equal states have equal ones, and hardly any others do.
#pragma once

#include <cstdint>

#include "sim/base/units.h"

namespace quintet {

// splitmix64: spreads neighbouring inputs over all 64 bits.
constexpr std::uint64_t spread_bits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Tells what is added, in its order. What has no order is the sum of the values of several.
class Digest {
 public:
  Digest& add(std::uint64_t number) {
    value_ = spread_bits(value_ ^ number);
    return *this;
  }
  Digest& add(std::int64_t number) { return add(static_cast<std::uint64_t>(number)); }
  Digest& add(std::int32_t number) { return add(static_cast<std::int64_t>(number)); }
  Digest& add(double number) {
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof number);
    __builtin_memcpy(&bits, &number, sizeof bits);
    return add(bits);
  }
  Digest& add(Duration time) { return add(time.picoseconds); }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x632be59bd9b4e019ULL;
};

}  // namespace quintet
