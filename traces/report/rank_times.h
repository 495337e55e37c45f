// Where each rank's time went, in the words of who looks at a profile.
#pragma once

#include <vector>

#include "sim/explain/breakdown.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// Gaps between two kernels below this are the GPU's own; longer ones have another cause. HTA's
// "kernel wait" (HolisticTraceAnalysis, breakdown_analysis.py: 30 ns).
inline constexpr Duration kernel_wait_below{30'000};

struct RankTimes {
  RankBreakdown breakdown;  // its rows sum to the step exactly (breakdown.h)
  // Of breakdown.host: while the next kernel had not been launched; and while a thread worked and
  // nothing else did. They sum to it.
  Duration launch_gaps, host_work;
  // Of breakdown.idle: in gaps below kernel_wait_below, and in longer ones. They sum to it.
  Duration kernel_wait, unexplained;
  // While data moved to or from it, on whatever axes; and for how much of that it computed.
  Duration communicating, hidden;
  bool operator==(const RankTimes&) const = default;

  Duration exposed() const;  // all axes of the breakdown
  // PyTorch's and HTA's overlap: hidden / communicating; 0 of none.
  double overlap() const;
};

// One per track, in their order.
std::vector<RankTimes> rank_times(const Timeline& timeline);

// Over ranks; `rank` of the breakdown is none. Its parts sum as those of a rank do.
RankTimes mean(const std::vector<RankTimes>& ranks);

// How unevenly ranks compute.
struct Imbalance {
  Duration mean, most;   // computing
  std::int32_t at = -1;  // index into the times, or the stage, of `most`
  double ratio() const;  // most / mean; 1 of nothing
  bool operator==(const Imbalance&) const = default;
};
Imbalance imbalance_of_ranks(const std::vector<RankTimes>& ranks);
// Between the means of the stages; of one stage: nothing.
Imbalance imbalance_of_stages(const std::vector<RankTimes>& ranks);

}  // namespace quintet
