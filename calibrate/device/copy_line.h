// What a copy takes by its size: a start and a rate. Pure.
#pragma once

#include <optional>
#include <span>

#include "sim/base/units.h"

namespace quintet::calibrate {

struct CopyTime {
  Bytes size;
  Seconds time;  // of one copy
  bool operator==(const CopyTime&) const = default;
};

struct CopyLine {
  Seconds start;
  Bandwidth rate;
  double held_out = 0;  // |predicted / measured - 1| of sizes left out, in the median
};

// Start and bytes: what the line says that a copy of `size` takes.
Seconds time_of(Bytes size, const CopyLine& line);

// Through times above 0 of three sizes or more, so that relative errors are least: small copies
// count as much as large ones. Nothing where there are fewer, or they do not grow with the size.
std::optional<CopyLine> copy_line(std::span<const CopyTime> times);

}  // namespace quintet::calibrate
