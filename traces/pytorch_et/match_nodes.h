// Which node of an execution trace is which operation of a recorded one.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/pytorch_et/execution_trace.h"
#include "traces/pytorch_et/join.h"
#include "traces/trace/rank_trace.h"

namespace quintet::pytorch_et {

struct Matches {
  JoinedTraces::By by = JoinedTraces::By::number;
  std::vector<std::int32_t> event_of;  // per node: index into RankTrace::events; -1: none
};

// By number where half of the nodes and more find an event with their number and name; otherwise by
// order.
Matches matched_nodes(const RankTrace& trace, const ExecutionTrace& execution);

// Both in order; equal ones are the same if they come in the same order, where one or the other may
// lack up to `most_missing` in a row. Per left one: the right one's place, -1: none.
std::vector<std::int32_t> aligned(const std::vector<std::int32_t>& left,
                                  const std::vector<std::int32_t>& right);
inline constexpr std::size_t most_missing = 256;

}  // namespace quintet::pytorch_et
