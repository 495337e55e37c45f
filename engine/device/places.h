// Where queued work stands: per lane of a rank's program, the number of the event that will have
// happened when the work is done; 0: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace quintet::engine {

inline constexpr std::size_t most_lanes = 32;

using Places = std::array<std::uint64_t, most_lanes>;

// Whatever comes after both.
inline void include(Places& places, const Places& more) {
  for (std::size_t lane = 0; lane < most_lanes; ++lane)
    places[lane] = std::max(places[lane], more[lane]);
}

}  // namespace quintet::engine
