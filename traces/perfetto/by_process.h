// A trace of all processes becomes a trace of each.
#pragma once

#include <vector>

#include "traces/perfetto/slices.h"
#include "traces/perfetto/tracks.h"
#include "traces/trace/trace_draft.h"

namespace quintet::perfetto_trace {

// `all` holds the slices' names and facts, and what was left out, which goes with the first.
// Correlations that only flows tell are set, calls that put work on streams become launches.
std::vector<RankTrace> by_process(TraceDraft& all, Slices& slices, const Tracks& tracks);

}  // namespace quintet::perfetto_trace
