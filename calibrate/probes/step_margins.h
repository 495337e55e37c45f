// Part of a step on a GPU belongs to no operator: the gaps between kernels, and the host's time
// before the first and after the last. All functions are pure.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/probes/training_run.h"
#include "sim/timeline/timeline.h"

namespace quintet::calibrate {

struct StepMargins {
  Seconds gap;     // from an operator's last kernel to the next one's first, in the median
  Seconds around;  // of the host, before the first kernel and after the last
  bool operator==(const StepMargins&) const = default;
};

// `timeline` is the one that the run wrote, and its spans are what a GPU did. There is nothing
// where the run was too short to tell its steps from those that were recorded, or fewer than two
// operators ran.
std::optional<StepMargins> margins_of(const Timeline& timeline, const MeasuredSteps& measured);

// The median of each; nothing of none.
std::optional<StepMargins> median_margins(const std::vector<StepMargins>& all);

}  // namespace quintet::calibrate
