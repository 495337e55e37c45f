// What a step waited for, from its end back to its beginning. A timeline says when things happened
// and not why, so this goes by times alone: whatever ran was held up by what ended last before it
// on its rank, and data that did not move at once by whoever came last (awaited_peers.h). Where a
// dependency and something else end at the same picosecond, the lane's own predecessor is taken,
// then computing, then the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

enum class PathKind {
  compute,
  moving,   // data moves, or is under way to a peer that waits
  waiting,  // for a peer that the timeline does not show
  copy,
  host,    // its work, or a launch that had not been issued
  nothing  // that the timeline shows
};
std::string_view name_of(PathKind kind);

struct PathPiece {
  PathKind kind = PathKind::nothing;
  std::int32_t track = 0;
  std::int64_t span = -1;  // index into Timeline::spans; -1: none
  Instant from, to;
  bool operator==(const PathPiece&) const = default;
};

// In order of time, each beginning where the one before it ends, from 0 to Timeline::end: their
// lengths sum to the step exactly. It may change tracks between two pieces. Empty without tracks.
// O(n log n) in the number of spans.
std::vector<PathPiece> critical_path(const Timeline& timeline);

struct PathShare {
  std::string name;  // "compute, backward", "tensor, collective"
  PathKind kind = PathKind::nothing;
  Duration time;
  std::int64_t pieces = 0;
  bool operator==(const PathShare&) const = default;
};

// How much of a path is what, the longest first (by name where equal); times sum to the path's.
std::vector<PathShare> path_shares(const Timeline& timeline, const std::vector<PathPiece>& path);

// The longest piece, by index, of those that a share of the path counts.
std::size_t longest_piece(const Timeline& timeline, const std::vector<PathPiece>& path,
                          const PathShare& share);

}  // namespace quintet
