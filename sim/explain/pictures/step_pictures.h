// Drawings of a step: where its time goes, its pipeline, its ranks, its memory. Numbers in them are
// those of the JSON, in picoseconds and bytes ("data-value").
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/explain/breakdown.h"
#include "sim/explain/memory_report.h"
#include "sim/picture/pass_grid.h"
#include "sim/picture/picture.h"
#include "sim/picture/stacked_bars.h"

namespace quintet {

// A picture's name and title.
struct PictureName {
  std::string name, title;
};

struct StepBar {
  std::string name;
  RankBreakdown mean;
  std::optional<std::pair<Seconds, Seconds>> interval;  // of 90 %: low, high
};

// In ms; the parts are the breakdown's, and sum to the step.
StackedBars step_bars(const PictureName& picture, std::span<const StepBar> steps);

// A row per stage, by the first track of each; `breakdowns`: one per track. A pass begins with its
// first kernel and ends with its last; W is a pass of its own where it is not mixed with B. None
// with fewer than two stages. A row's note: the share of the step that its stage is in the bubble.
std::optional<PassGrid> pipeline_grid(const PictureName& picture, const Timeline& timeline,
                                      std::span<const RankBreakdown> breakdowns);
std::optional<Picture> pipeline_picture(const PictureName& picture, const Timeline& timeline,
                                        std::span<const RankBreakdown> breakdowns);

// When the ranks shown compute, and when data moves to or from them.
Picture ranks_picture(const PictureName& picture, const Timeline& timeline);

// The fullest rank of each stage against the capacity; none where nothing is known.
std::optional<Picture> memory_picture(const PictureName& picture, const MemoryReport& memory);

}  // namespace quintet
