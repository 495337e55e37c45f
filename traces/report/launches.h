// How ranks' GPUs wait for their CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/timeline/timeline.h"
#include "traces/report/retimed.h"
#include "traces/workload/workload.h"

namespace quintet {

// A rank's host gaps (Timeline): nothing computes, for the next kernel's launch has not been
// issued.
struct RankLaunches {
  Duration gaps, longest;
  std::int64_t count = 0;
  std::int64_t kernels = 0;
  Duration mean_kernel;   // of what computes
  std::string meanwhile;  // what its threads did longest in the gaps, by name; empty: not known
  Duration meanwhile_time;
  bool operator==(const RankLaunches&) const = default;
};

// Per rank.
std::vector<RankLaunches> rank_launches(const Timeline& timeline);

// As if so much of each gap of these ranks (by number) were left.
Change with_gaps(const std::vector<std::int32_t>& ranks, double left);

}  // namespace quintet
