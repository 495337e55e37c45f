// What a message meets on its way by ASTRA-sim's analytical rules.
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "traces/astra_sim/astra_network.h"

namespace quintet {

// Fractions cut off; what event time cannot hold, and no number, is the longest it can.
std::int64_t whole_nanoseconds(double nanoseconds);
// The longest span there is, where they are more than that.
Duration span_of(std::int64_t nanoseconds);

// Ranks are counted through the first dimension first. `from` is not `to`.
struct WayInDimension {
  int dimension = 0;  // the first in which they differ: no other is looked at
  int from = 0, to = 0;
};
WayInDimension way_between(const AstraNetwork& network, int from, int to);
int hops_between(const AstraDimension& dimension, int from, int to);

// Unaware of congestion: hops x latency + bytes / bandwidth.
std::int64_t unaware_nanoseconds(const AstraNetwork& network, int from, int to, std::int64_t size);

// Aware of it: until the wire takes the next message, and until this one has come.
std::int64_t wire_nanoseconds(const AstraDimension& dimension, std::int64_t size);
std::int64_t hop_nanoseconds(const AstraDimension& dimension, std::int64_t size);
// Where a message at `at` goes next; the switch of a star counts as rank `dimension.ranks`.
int next_on_way(const AstraDimension& dimension, int at, int to);

}  // namespace quintet
