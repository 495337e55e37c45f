// What the engine takes to have a GPU do one kernel after another, from a step so small that the
// GPU waits for it: the same step once launched kernel by kernel, once as a graph.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/probes/probe_run.h"

namespace quintet::calibrate {

struct LaunchTimes {
  Seconds eager, graph;  // of the step
  Seconds around;        // StepMargins: of either, what is no kernel's
  int kernels = 0;       // that a rank launches
};

// A kernel's share of the eager step. Nothing where that takes no tenth more than the graph: then
// the GPU is what takes the time, and the host may be faster by any factor.
std::optional<Seconds> issue_time(const LaunchTimes& times);

// This runs the probe with the shortest step among the records once more, launched kernel by
// kernel. The answer is nothing where no probe tells.
Result<std::optional<Seconds>> probed_issue_time(const std::vector<ProbeRecord>& records,
                                                 const std::vector<Candidate>& candidates,
                                                 const ProbePlace& place);

}  // namespace quintet::calibrate
