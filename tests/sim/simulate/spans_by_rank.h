// What each rank did, whether it has a track of its own or shares one: folding must not change it.
#pragma once

#include <map>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

// Tracks forgotten.
inline std::map<int, std::vector<Span>> spans_by_rank(const Timeline& timeline) {
  std::map<int, std::vector<Span>> spans;
  for (Span span : timeline.spans) {
    const int rank = timeline.tracks[static_cast<std::size_t>(span.track)].rank.value;
    span.track = 0;
    span.flow = -1;  // numbered over all tracks
    spans[rank].push_back(span);
  }
  return spans;
}

}  // namespace quintet
