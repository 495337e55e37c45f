// What of each kind of work lies in a part of the step.
#pragma once

#include <string>
#include <vector>

#include "sim/explain/stage_activity.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// One kind: a phase of compute, or communication of one sort on one axis, or copies, or the host.
// Counted are spans of all tracks of which some lies in the range, each once however many ranks
// its track stands for.
struct RangeRow {
  std::string name;  // "compute, forward"; "tensor, collective"
  std::int64_t count = 0;
  Duration inside;             // the sum of what of them lies in the range
  Duration mean, median, p95;  // of whole spans, by nearest rank
  Bytes bytes;                 // in proportion to how much of their moving lies in the range
  Bandwidth rate;              // these bytes over the time in which they moved; 0: none did
  bool operator==(const RangeRow&) const = default;
};

// In order of `inside`, the longest first; by name where equal. Spans of no length count where they
// lie in [begin, end).
std::vector<RangeRow> range_rows(const Timeline& timeline, Interval range);

}  // namespace quintet
