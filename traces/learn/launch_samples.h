// What it takes to start kernels: on the CPU, and on a GPU whose queue is not empty.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

struct LaunchSamples {
  std::string gpu;  // of the first device that the trace names
  // Between the beginnings of two launches of one kernel each, one after the other on a thread that
  // does not wait for the GPU between them, at most `longest_in_burst` apart: the framework's time
  // and the call's. With the profiler's own.
  std::vector<Seconds> between;
  // Between two kernels of a stream that do not communicate, the second of which had been launched,
  // without anything to wait for, before the first ended; at most `longest_gap`. Where most are
  // longer, something was waited for that nobody recorded, or kernels are missing: then none is
  // here.
  std::vector<Seconds> gaps;
  std::vector<LeftOut> left_out;
  bool operator==(const LaunchSamples&) const = default;
};
inline constexpr Seconds longest_in_burst{1e-3};
inline constexpr Seconds longest_gap{20e-6};

LaunchSamples launch_samples(const RankTrace& trace);

}  // namespace quintet
