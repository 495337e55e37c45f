// What messages take of cores: ring all-reduces among all ranks of a job, by themselves and while
// every core computes.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/ranks/message_costs.h"
#include "engine/network/collectives/rank_group.h"
#include "sim/base/result.h"

namespace quintet::calibrate {

struct RingTimings {
  RingPair idle, crowded;
  bool operator==(const RingTimings&) const = default;
};

// Cores of this rank's machine and how many ranks share them, and cores of all machines.
struct RingCores {
  int here = 1, ranks_here = 1, everywhere = 1;
};

// All members together; each gets the slowest one's times. A measurement takes about `pace`, all of
// them 25 times that; core times come in ticks of 10 ms.
Result<RingTimings> time_rings(engine::RankGroup& everyone, const RingCores& cores, Seconds pace);

// As a journal keeps them: 20 numbers.
std::vector<double> numbers_of(const RingTimings& timings);
std::optional<RingTimings> rings_of(const std::vector<double>& numbers);

}  // namespace quintet::calibrate
