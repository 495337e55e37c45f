// What collectives of a recorded step took from the arrival of the last of their ranks on.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/plan/ccl.h"
#include "traces/trace/rank_trace.h"
#include "traces/workload/workload.h"

namespace quintet {

struct RecordedCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 2;
  int hosts = 1;  // 1 where the trace names none
  Bytes size;     // nccl-tests' convention
  Seconds time;
  bool operator==(const RecordedCollective&) const = default;
};

struct RecordedCollectives {
  std::vector<RecordedCollective> collectives;
  std::vector<LeftOut> left_out;
  bool operator==(const RecordedCollectives&) const = default;
};

// Of a recorded workload. Left out are those of which not all ranks' traces are there: what a rank
// waited for others cannot be told from what it took.
RecordedCollectives collective_samples(const Workload& workload);

}  // namespace quintet
