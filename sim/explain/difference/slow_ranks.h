// Which ranks of a measured step compute slower than the others do, beside the prediction.
#pragma once

#include <vector>

#include "sim/explain/difference/difference.h"

namespace quintet {

// A rank is slow from this many times what is expected of it (causes.h has the whole rule).
inline constexpr double slow_from = 1.25;

// Per rank of the difference: measured computing over what it would be if each operator's ratio
// were the lower median of the ranks that run it; 1 where nothing was computed. Where each rank is
// disturbed in other operators, all are over that: so in units of the rank in the middle (the lower
// median) where that one is above 1.
std::vector<double> slowness(const std::vector<RankDifference>& ranks);

}  // namespace quintet
