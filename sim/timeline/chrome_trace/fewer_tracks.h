// A timeline small enough for a viewer: whole tracks are left out, evenly, never the first or last.
#pragma once

#include <cstddef>

#include "sim/timeline/timeline.h"

namespace quintet {

// Keeps at most `spans` spans, but two tracks at least (one when there is one). Equal to the input
// when all fit.
Timeline with_fewer_tracks(const Timeline& timeline, std::size_t spans);

}  // namespace quintet
