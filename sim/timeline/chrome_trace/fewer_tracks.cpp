#include "sim/timeline/chrome_trace/chrome_trace.h"

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

// New number of each track, -1: left out. `kept` of them, first and last among them.
std::vector<std::int32_t> numbers_of(std::size_t tracks, std::size_t kept) {
  std::vector<std::int32_t> numbers(tracks, -1);
  for (std::size_t index = 0; index < kept; ++index)
    numbers[kept == 1 ? 0 : index * (tracks - 1) / (kept - 1)] = static_cast<std::int32_t>(index);
  return numbers;
}

template <class Item>
void keep(std::vector<Item>& items, const std::vector<std::int32_t>& numbers) {
  std::erase_if(
      items, [&](const Item& item) { return numbers[static_cast<std::size_t>(item.track)] < 0; });
  for (Item& item : items) item.track = numbers[static_cast<std::size_t>(item.track)];
}

// What is known of each span. Before the spans: theirs are the tracks.
template <class Item>
void keep_of_spans(std::vector<Item>& items, const std::vector<Span>& spans,
                   const std::vector<std::int32_t>& numbers) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (numbers[static_cast<std::size_t>(spans[i].track)] >= 0) std::swap(items[kept++], items[i]);
  items.resize(kept);
}

}  // namespace

Timeline with_fewer_tracks(const Timeline& timeline, std::size_t spans) {
  const std::size_t tracks = timeline.tracks.size();
  if (timeline.spans.size() <= spans || tracks <= 2) return timeline;
  const std::size_t per_track = (timeline.spans.size() + tracks - 1) / tracks;
  const std::vector<std::int32_t> numbers =
      numbers_of(tracks, std::clamp<std::size_t>(spans / per_track, 2, tracks));
  Timeline fewer = timeline;
  fewer.causes.reset();  // they are of all tracks
  keep_of_spans(fewer.cpu, fewer.spans, numbers);
  keep_of_spans(fewer.notes, fewer.spans, numbers);
  keep(fewer.spans, numbers);
  keep(fewer.host_gaps, numbers);
  fewer.tracks.clear();
  for (std::size_t track = 0; track < tracks; ++track)
    if (numbers[track] >= 0) fewer.tracks.push_back(timeline.tracks[track]);
  return fewer;
}

}  // namespace quintet
