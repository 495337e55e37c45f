#include "sim/timeline/repeated_part.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace quintet {

namespace {

// So many repetitions later.
struct Later {
  Duration by;
  int micro_batches = 0;
  std::int32_t messages = 0;

  Later(const RepeatedPart& part, int times)
      : by{times * (part.to - part.from).picoseconds},
        micro_batches(times * part.micro_batches),
        messages(times * part.messages) {}

  Span operator()(Span span) const {
    span.start = span.start + by;
    span.moving = span.moving + by;
    span.end = span.end + by;
    if (span.micro_batch >= 0) span.micro_batch += micro_batches;
    if (span.flow >= 0) span.flow += messages;
    return span;
  }
  HostGap operator()(HostGap gap) const { return {gap.track, gap.start + by, gap.end + by}; }
};

template <class Item>
std::vector<Item> repeated(const std::vector<Item>& items, const RepeatedPart& part) {
  const auto begins_before = [](const Item& item, Instant time) { return item.start < time; };
  std::vector<Item> all;
  for (auto begin = items.begin(); begin != items.end();) {
    const auto end = std::find_if(begin, items.end(), [track = begin->track](const Item& item) {
      return item.track != track;
    });
    const auto from = std::lower_bound(begin, end, part.from, begins_before);
    const auto to = std::lower_bound(from, end, part.to, begins_before);
    all.insert(all.end(), begin, to);
    for (int time = 1; time <= part.times; ++time)
      std::transform(from, to, std::back_inserter(all), Later(part, time));
    std::transform(to, end, std::back_inserter(all), Later(part, part.times));
    begin = end;
  }
  return all;
}

}  // namespace

Timeline with_repeated(Timeline timeline, const RepeatedPart& part) {
  if (part.times == 0) return timeline;
  timeline.spans = repeated(timeline.spans, part);
  timeline.host_gaps = repeated(timeline.host_gaps, part);
  timeline.end = timeline.end + part.left_out();
  return timeline;
}

}  // namespace quintet
