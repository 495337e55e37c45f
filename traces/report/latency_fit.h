// Of what exchanges of several sizes took: what each takes however small it is, and what a byte
// takes.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

struct SizedTime {
  Bytes size;
  Seconds time;
};

struct LatencyFit {
  Seconds latency;  // of each
  double seconds_a_byte = 0;
  // Half of the time is latency.
  Bytes half_size() const { return {latency.value / seconds_a_byte}; }
  Seconds time(Bytes size) const { return latency + Seconds{size.value * seconds_a_byte}; }
  bool operator==(const LatencyFit&) const = default;
};

// time = latency + size x seconds a byte, through the medians of each size; the slope is the median
// of those between any two of these (Theil and Sen), the latency the median of what it leaves of
// the smaller half. A quarter of the measurements may be anything. None where the sizes are all
// within a factor of 1.5, or more bytes do not take longer: what is latency cannot be told then.
std::optional<LatencyFit> latency_fit(const std::vector<SizedTime>& times);

}  // namespace quintet
