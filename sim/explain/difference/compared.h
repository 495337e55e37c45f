// A time on both sides of a comparison.
#pragma once

#include "sim/base/units.h"

namespace quintet {

struct Compared {
  Duration predicted, measured;
  bool operator==(const Compared&) const = default;
  constexpr Duration difference() const { return measured - predicted; }
};

}  // namespace quintet
