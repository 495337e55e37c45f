#include "sim/timeline/chrome_trace/trace_rows.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace quintet {
namespace {

// Puts intervals on the first row of their lane that is free.
class RowFiller {
 public:
  RowFiller(std::size_t tracks, std::size_t lanes) : lanes_(lanes), ends_(tracks * lanes) {}

  TraceRow place(std::int32_t track, std::int32_t lane, Instant start, Instant end) {
    std::vector<Instant>& ends = ends_[slot(track, lane)];
    const auto free = std::find_if(ends.begin(), ends.end(),
                                   [start](Instant row_end) { return row_end <= start; });
    const auto number = static_cast<std::int32_t>(free - ends.begin());
    if (free == ends.end())
      ends.push_back(end);
    else
      *free = end;
    return {track, lane, number};
  }

  std::size_t slot(std::int32_t track, std::int32_t lane) const {
    return static_cast<std::size_t>(track) * lanes_ + static_cast<std::size_t>(lane);
  }
  // Index of each slot's first row when all rows stand in order.
  std::vector<std::size_t> first_rows() const {
    std::vector<std::size_t> first{0};
    for (const auto& ends : ends_) first.push_back(first.back() + ends.size());
    return first;
  }

 private:
  std::size_t lanes_;
  std::vector<std::vector<Instant>> ends_;
};

bool can_be_process_ids(std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end() &&
         (ids.empty() || ids.front() >= 0);
}

}  // namespace

TraceRows::TraceRows(const Timeline& timeline) {
  const auto gap_lane = static_cast<std::int32_t>(timeline.lanes.size());
  RowFiller filler(timeline.tracks.size(), timeline.lanes.size() + 1);
  std::vector<TraceRow> places;
  places.reserve(timeline.spans.size() + timeline.host_gaps.size());
  for (const Span& span : timeline.spans)
    places.push_back(
        filler.place(span.track, timeline.infos[index(span.info)].lane, span.start, span.end));
  for (const HostGap& gap : timeline.host_gaps)
    places.push_back(filler.place(gap.track, gap_lane, gap.start, gap.end));

  const std::vector<std::size_t> first = filler.first_rows();
  rows_.resize(first.back());
  const auto row_of = [&](const TraceRow& place) {
    const std::size_t row = first[filler.slot(place.track, place.lane)] + index(place.number);
    rows_[row] = place;
    return row;
  };
  const auto gaps = places.begin() + static_cast<std::ptrdiff_t>(timeline.spans.size());
  std::transform(places.begin(), gaps, std::back_inserter(span_rows_), row_of);
  std::transform(gaps, places.end(), std::back_inserter(gap_rows_), row_of);
  number_processes(timeline);
  number_threads();
}

// The rank, as in Kineto's per-rank files; the track's index where ranks would not do.
void TraceRows::number_processes(const Timeline& timeline) {
  for (const Track& track : timeline.tracks) processes_.push_back(track.rank.value);
  if (!can_be_process_ids(processes_)) std::iota(processes_.begin(), processes_.end(), 0);
}

// From the next power of ten above the process ids, so that no thread looks like a main thread.
void TraceRows::number_threads() {
  std::int64_t base = 1000;
  for (const std::int64_t process : processes_)
    while (base <= process) base *= 10;
  threads_.resize(rows_.size());
  std::iota(threads_.begin(), threads_.end(), base);
}

}  // namespace quintet
