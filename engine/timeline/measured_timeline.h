// The spans that the ranks of a step brought home as one Timeline, with the names, lanes and axes
// that a predicted one has.
#pragma once

#include <string>
#include <vector>

#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet::engine {

struct RankSpans {
  Rank rank;
  std::vector<Span> spans;           // `info` counts the instructions of the program's bodies
  std::vector<Duration> cpu{};       // per span, of the rank's own thread; empty: not known
  std::vector<std::string> notes{};  // per span, what was seen in it; empty: nothing of any
};

// Times of all ranks on one clock, since the step began. Tracks in the order given; a send and its
// receive get the same flow where both are there, and a communication moves from when the last of
// its ranks had come to it, where all are there. Times on the CPU and notes are kept when all ranks
// have them.
Timeline measured_timeline(const Program& program, const std::vector<RankSpans>& ranks);

}  // namespace quintet::engine
