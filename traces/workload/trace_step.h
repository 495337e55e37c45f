// Which part of a trace is one step: profilers put a range around each ("ProfilerStep#12").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// From here to there, in a trace's own nanoseconds.
struct TraceWindow {
  std::int64_t from = 0, to = 0;
  bool operator==(const TraceWindow&) const = default;
};

struct ChosenStep {
  std::string name;                  // "ProfilerStep#12"; empty: the whole of each trace
  std::vector<TraceWindow> windows;  // per trace
  int steps = 0;                     // that all traces have
};

// `wanted`: the name of a range, or what stands behind its "#"; empty: the last step that all
// traces have and that launches something, or the whole of traces without steps. The error says
// which steps there are.
Result<ChosenStep> chosen_step(std::span<const RankTrace> traces, const std::string& wanted);

}  // namespace quintet
