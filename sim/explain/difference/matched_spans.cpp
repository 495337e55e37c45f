#include "sim/explain/difference/matched_spans.h"

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

using Keyed = std::vector<std::pair<SpanKey, std::size_t>>;

Keyed keyed(const Timeline& timeline, const std::vector<std::size_t>& numbers) {
  Keyed all;
  all.reserve(numbers.size());
  for (const std::size_t number : numbers) {
    const Span& span = timeline.spans[number];
    all.push_back({{span.info, span.layer, span.micro_batch, span.chunk, span.bucket, 0}, number});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  SpanKey before{.info = -1};
  std::int32_t occurrence = 0;
  for (auto& [key, number] : all) {
    occurrence = key == before ? occurrence + 1 : 0;
    before = key;
    key.occurrence = occurrence;
  }
  return all;
}

}  // namespace

std::vector<std::vector<std::size_t>> spans_by_track(const Timeline& timeline) {
  std::vector<std::vector<std::size_t>> tracks(timeline.tracks.size());
  for (std::size_t i = 0; i < timeline.spans.size(); ++i)
    tracks[static_cast<std::size_t>(timeline.spans[i].track)].push_back(i);
  return tracks;
}

std::vector<SpanKey> span_keys(const Timeline& timeline) {
  std::vector<SpanKey> keys(timeline.spans.size());
  for (const std::vector<std::size_t>& track : spans_by_track(timeline))
    for (const auto& [key, number] : keyed(timeline, track)) keys[number] = key;
  return keys;
}

std::vector<SpanPair> matched_spans(const Timeline& left,
                                    const std::vector<std::size_t>& left_spans,
                                    const Timeline& right,
                                    const std::vector<std::size_t>& right_spans) {
  const Keyed ours = keyed(left, left_spans), theirs = keyed(right, right_spans);
  std::vector<SpanPair> pairs;
  std::size_t i = 0, j = 0;
  while (i < ours.size() || j < theirs.size()) {
    const bool take_left =
        j == theirs.size() || (i < ours.size() && ours[i].first <= theirs[j].first);
    const bool take_right =
        i == ours.size() || (j < theirs.size() && theirs[j].first <= ours[i].first);
    SpanPair pair{take_left ? ours[i].first : theirs[j].first, no_span, no_span};
    if (take_left) pair.left = ours[i++].second;
    if (take_right) pair.right = theirs[j++].second;
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace quintet
