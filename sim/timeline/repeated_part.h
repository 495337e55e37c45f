// A timeline that is shown without what only repeats a part of it: all that begins in
// [from, to), on every track, comes so many times more, each time later by to - from, before
// whatever begins at `to`.
#pragma once

#include <cstdint>

#include "sim/timeline/timeline.h"

namespace quintet {

struct RepeatedPart {
  Instant from, to;
  int times = 0;              // 0: the timeline is whole
  int micro_batches = 0;      // by which it is later each time
  std::int32_t messages = 0;  // likewise: of Span::flow

  Duration left_out() const { return {times * (to - from).picoseconds}; }
};

// The whole timeline. Its spans and gaps are in the order that timelines promise.
Timeline with_repeated(Timeline timeline, const RepeatedPart& part);

}  // namespace quintet
