// Copies of a device, timed: from and to the host's memory, pinned or not, and inside its own.
#pragma once

#include <vector>

#include "calibrate/device/copy_line.h"
#include "calibrate/device/device_things.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

struct CopySweep {
  std::vector<std::size_t> sizes;               // bytes
  std::size_t together = std::size_t{1} << 24;  // bytes of one timing: small copies come in rows
  int repeats = 5;                              // of which the median counts
};
CopySweep usual_copies();  // 4 KiB to 256 MiB by factors of four

// What a copy takes on a stream of its own; from or to pageable memory the host's time, since it
// waits. Sizes for which there is no memory are left out.
std::vector<CopyTime> copy_times(kernels::Device& device, MemoryKind from, MemoryKind to,
                                 const CopySweep& sweep);

// This says how many times longer a copy of the sweep's largest size takes, to the device or from
// it, while as much is copied the other way: its time over what it takes alone, the mean of both
// ways, 1 at least.
double both_ways_factor(kernels::Device& device, const CopySweep& sweep);

struct MeasuredCopies {
  CopyCosts costs;
  std::vector<std::string> not_measured;  // a sentence's part each
};
// The rates of the three ways of pinned and own memory share one start, the middle one of theirs.
MeasuredCopies measured_copies(kernels::Device& device, const CopySweep& sweep);

}  // namespace quintet::calibrate
