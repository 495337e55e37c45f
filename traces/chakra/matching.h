// Which tasks of the ranks meet: collectives by group, kind and order of issue, messages by source,
// destination, tag and order.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/chakra/workload_tables.h"
#include "traces/workload/workload.h"

namespace quintet::chakra {

// A task that communicates, before it is known with whom.
struct Meeting {
  std::int32_t rank = 0, task = 0;  // indices
  SpanKind kind = SpanKind::collective;
  CollectiveKind collective = CollectiveKind::all_reduce;
  std::int32_t group = -1;
  std::int32_t peer = -1;       // index; -1: not told
  std::int64_t peer_rank = -1;  // of the job, as it was told; -1: it was not
  std::int64_t tag = 0;
};

// Gives those that meet their peers and the least of their times; the others become tasks of the
// host, and remarks say how many. `meetings` are in order of rank and task.
void match(Workload& workload, WorkloadTables& tables, std::vector<Meeting>& meetings);

}  // namespace quintet::chakra
