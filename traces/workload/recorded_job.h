// The traces of a job's ranks as one workload: ranks found, process groups put together,
// collectives and messages matched across ranks, clocks aligned, one step chosen. What could not be
// matched is counted and named in Workload::remarks.
//
// Clocks: a collective ends on all of its ranks together, so the median of how far apart the ends
// of the same collectives are is how far apart two clocks are. A clock is set right where that is
// more than `clock_tolerance`: the ends of one collective differ by some microseconds on one clock,
// too.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "traces/trace/rank_trace.h"
#include "traces/workload/workload.h"

namespace quintet {

inline constexpr std::int64_t clock_tolerance = 50'000;  // ns

// One trace or more. `step`: as chosen_step() takes it. The error says which traces do not belong
// together.
Result<Workload> workload_of(std::vector<RankTrace> traces, const std::string& step);

}  // namespace quintet
