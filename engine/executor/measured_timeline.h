// The spans that the ranks of a step brought home as one Timeline, with the names, lanes and axes
// that a predicted one has.
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet::engine {

struct RankSpans {
  Rank rank;
  std::vector<Span> spans;  // `info` counts the instructions of the program's bodies
  // Per span, of the rank's thread, where known; no Timeline has them.
  std::vector<Duration> cpu{};
};

// Times of all ranks on one clock, since the step began. Tracks in the order given; a send and its
// receive get the same flow where both are there.
Timeline measured_timeline(const Program& program, std::vector<RankSpans> ranks);

}  // namespace quintet::engine
