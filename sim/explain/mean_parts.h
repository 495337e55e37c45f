// Means over ranks that still sum to the whole, as integers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

// Picoseconds times ranks: 100 s on 100,000 ranks already pass int64.
__extension__ typedef __int128 RankTime;

constexpr RankTime rank_time(Duration time, int ranks) {
  return static_cast<RankTime>(time.picoseconds) * ranks;
}

constexpr Duration nearest(RankTime total, RankTime ranks) {
  return {static_cast<std::int64_t>((2 * total + ranks) / (2 * ranks))};
}

// Each total (0 or more) over `ranks`, rounded down; then the picoseconds that are missing to
// `whole` go to the parts with the largest remainders, the first of equal ones. `whole` is the mean
// of the totals' sum, or the picosecond above it.
std::vector<Duration> mean_parts(const std::vector<RankTime>& totals, RankTime ranks,
                                 Duration whole);

}  // namespace quintet
