#include "sim/explain/range_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

struct Gathered {
  RangeRow row;
  std::vector<std::int64_t> lengths;
  Duration moving;  // within the range
};

std::string name_of(const SpanInfo& info) {
  if (info.kind == SpanKind::compute) return fmt::format("compute, {}", name_of(info.phase));
  if (is_communication(info.kind))
    return fmt::format("{}, {}", name_of(info.axis), name_of(info.kind));
  return std::string(name_of(info.kind));
}

Duration within(Interval part, Interval range) {
  const Instant begin = std::max(part.begin, range.begin), end = std::min(part.end, range.end);
  return begin < end ? end - begin : Duration{};
}

bool counts(const Span& span, Interval range) {
  if (span.start == span.end) return span.start >= range.begin && span.start < range.end;
  return span.start < range.end && span.end > range.begin;
}

void add(Gathered& gathered, const Span& span, const SpanInfo& info, Interval range) {
  ++gathered.row.count;
  gathered.row.inside += within({span.start, span.end}, range);
  gathered.lengths.push_back((span.end - span.start).picoseconds);
  const Interval active = active_part(span, info.kind);
  if (info.size == Bytes{} || length(active) <= Duration{}) return;
  const Duration moved = within(active, range);
  gathered.moving += moved;
  gathered.row.bytes += info.size * (seconds(moved) / seconds(length(active)));
}

// The smallest length that so many in a hundred do not exceed.
Duration nearest_rank(std::vector<std::int64_t>& lengths, std::size_t percent) {
  const std::size_t rank = (lengths.size() * percent + 99) / 100;
  const auto at = lengths.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(lengths.begin(), at, lengths.end());
  return {*at};
}

RangeRow finished(Gathered gathered) {
  RangeRow& row = gathered.row;
  double sum = 0;
  for (const std::int64_t each : gathered.lengths) sum += static_cast<double>(each);
  row.mean = {std::llround(sum / static_cast<double>(row.count))};
  row.median = nearest_rank(gathered.lengths, 50);
  row.p95 = nearest_rank(gathered.lengths, 95);
  if (gathered.moving > Duration{}) row.rate = row.bytes / seconds(gathered.moving);
  return std::move(row);
}

}  // namespace

std::vector<RangeRow> range_rows(const Timeline& timeline, Interval range) {
  // Infos of one name share a row.
  std::vector<Gathered> rows;
  std::vector<std::size_t> row_of_info;
  for (const SpanInfo& info : timeline.infos) {
    const std::string name = name_of(info);
    const auto known = std::find_if(rows.begin(), rows.end(),
                                    [&](const Gathered& each) { return each.row.name == name; });
    row_of_info.push_back(static_cast<std::size_t>(known - rows.begin()));
    if (known == rows.end()) rows.push_back({{.name = name}, {}, {}});
  }
  for (const Span& span : timeline.spans) {
    if (!counts(span, range)) continue;
    const auto info = static_cast<std::size_t>(span.info);
    add(rows[row_of_info[info]], span, timeline.infos[info], range);
  }
  std::vector<RangeRow> found;
  for (Gathered& each : rows)
    if (each.row.count > 0) found.push_back(finished(std::move(each)));
  std::sort(found.begin(), found.end(), [](const RangeRow& one, const RangeRow& other) {
    return one.inside != other.inside ? one.inside > other.inside : one.name < other.name;
  });
  return found;
}

}  // namespace quintet
