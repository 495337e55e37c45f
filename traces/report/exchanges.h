// Which spans of a step are one exchange: the members of a collective, the two ends of a message.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timeline/timeline.h"
#include "traces/workload/workload.h"

namespace quintet {

struct Exchange {
  SpanKind kind = SpanKind::collective;  // or send: a message
  CollectiveKind collective = CollectiveKind::all_reduce;
  std::int32_t group = -1;  // index into Workload::groups; -1: a message
  Bytes size;
  std::vector<std::int32_t> spans;  // by rank; of a message: its send, then its receive
  Instant last;                     // came the last of them
  std::int32_t last_span = -1;      // which that was; of those that came together the first
  // From then on to the end, the lower median over the members, each by `moving` of its span.
  // Below 0: not known, as of a message that had come before anybody asked for it.
  Duration time{-1};
  bool operator==(const Exchange&) const = default;
};

// Per rank and task of it the number of its span. Each track of the timeline has the tasks of a
// rank, in their order or in that of timeline_of(): of the workload's rank by rank, one span for
// one task.
std::vector<std::vector<std::int32_t>> spans_of_tasks(const Timeline& timeline,
                                                      const Workload& workload);

// Per span the number of its rank (index into Workload::ranks, Timeline::tracks).
std::int32_t rank_of(const Timeline& timeline, std::int32_t span);

// In order of group, then of the collectives of a group; messages after them. Tasks whose group or
// peer is not known are in none. Those without a sequence are matched in the order in which each
// rank has them.
std::vector<Exchange> exchanges(const Timeline& timeline, const Workload& workload);

}  // namespace quintet
