#include "traces/perfetto/slices.h"

#include <algorithm>

namespace quintet::perfetto_trace {

void Slices::begin(std::int32_t track, const TraceEvent& event) {
  edges_.push_back({event.start, track, static_cast<std::int32_t>(slices_.size())});
  slices_.push_back({event, track});
}

void Slices::nest() {
  // Of one instant, as they came: only so a slice without length ends after it began.
  std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& left, const Edge& right) {
    return left.track != right.track ? left.track < right.track : left.time < right.time;
  });
  std::vector<std::int32_t> open;
  std::int32_t track = -1;
  for (const Edge& edge : edges_) {
    if (edge.track != track) open.clear(), track = edge.track;
    if (edge.slice >= 0) {
      open.push_back(edge.slice);
    } else if (open.empty()) {
      ++unpaired_;
    } else {
      Slice& slice = slices_[static_cast<std::size_t>(open.back())];
      slice.event.time = edge.time - slice.event.start;
      slice.ended = true;
      open.pop_back();
    }
  }
  edges_ = {};
}

}  // namespace quintet::perfetto_trace
