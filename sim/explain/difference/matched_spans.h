// Which span of one timeline is which of another, of the same program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

// What a span is about within its rank's step: the n-th (`occurrence`, from 0) of those alike.
struct SpanKey {
  std::int32_t info = 0;
  std::int32_t layer = -1, micro_batch = -1;
  std::int16_t chunk = 0, bucket = -1;
  std::int32_t occurrence = 0;
  auto operator<=>(const SpanKey&) const = default;
};

inline constexpr std::size_t no_span = static_cast<std::size_t>(-1);

struct SpanPair {
  SpanKey key;
  std::size_t left = no_span, right = no_span;  // index into spans; one may be missing
  bool operator==(const SpanPair&) const = default;
};

// The spans of each track, in order.
std::vector<std::vector<std::size_t>> spans_by_track(const Timeline& timeline);

// The key of every span, in the timeline's order.
std::vector<SpanKey> span_keys(const Timeline& timeline);

// In order of their keys. `left_spans`, `right_spans`: those of one track each, in order of start.
std::vector<SpanPair> matched_spans(const Timeline& left,
                                    const std::vector<std::size_t>& left_spans,
                                    const Timeline& right,
                                    const std::vector<std::size_t>& right_spans);

}  // namespace quintet
