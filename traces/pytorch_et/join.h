// What a profiler recorded of a process and the execution trace of the same run: the one has times,
// the other shapes, process groups and sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/pytorch_et/execution_trace.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

struct JoinedTraces {
  enum class By {
    number,  // TraceEvent::external is the node's "rf_id"
    order,   // of names on each thread: the two were numbered apart
  };
  By by = By::number;
  std::int64_t nodes = 0;    // that a profiler can have recorded: all but threads' and processes'
  std::int64_t matched = 0;  // of these
  std::int64_t operations = 0;      // operations and annotations of the trace
  std::int64_t shapes = 0;          // operations that got shapes
  std::int64_t communications = 0;  // operations and kernels that got facts, or some more
  std::vector<LeftOut> unmatched;   // nodes, by name, the most frequent first; at most 20 names
  bool operator==(const JoinedTraces&) const = default;
};

// Adds to the trace's operations what the nodes tell and it does not, and to kernels what the
// operations that asked for them tell. What the trace tells stays.
JoinedTraces join(RankTrace& trace, const ExecutionTrace& execution);

}  // namespace quintet
