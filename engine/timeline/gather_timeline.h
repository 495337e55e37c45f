// The spans of all ranks, on one clock, as one Timeline.
//
//   JobClock clock(peers);
//   clock.measure();                                 // all ranks, before the steps
//   steps.push_back({step, origin, {rank, report.spans, report.cpu}});
//   gather_timeline(clock, program, steps);          // all ranks, after the last
#pragma once

#include <span>

#include "engine/timeline/job_clock.h"
#include "engine/timeline/measured_timeline.h"

namespace quintet::engine {

struct MeasuredStep {
  int step = 0;
  Clock::time_point origin;  // of the spans' times, on this rank's clock
  RankSpans spans;
  Duration processors{};  // of all ranks (StepTime); rank 0's counts
};

// All ranks together, each with its own part of the same steps (at least one). On rank 0 the
// Timeline of one of them, the median: the steps are ordered by the time from when the first rank
// began to when the last had ended (equal ones by number), and the lower one of two in the middle
// is taken. Time 0 is when its first rank began. The times of all, how far the clocks may be apart,
// and `deviations` (rank 0's) are in Timeline::measurement. Elsewhere: nothing. Measures the clocks
// once more.
Result<std::optional<Timeline>> gather_timeline(JobClock& clock, const Program& program,
                                                std::span<const MeasuredStep> steps,
                                                std::vector<PlanDeviation> deviations = {});

}  // namespace quintet::engine
