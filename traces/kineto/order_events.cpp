#include "traces/kineto/order_events.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

namespace quintet::kineto {
namespace {

void order_rows(RankTrace& trace) {
  std::vector<std::int32_t> order(trace.rows.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int32_t index) {
    const RecordedRow& row = trace.rows[static_cast<std::size_t>(index)];
    const bool is_stream = row.kind == RecordedRow::Kind::stream;
    return std::tuple(!is_stream, is_stream ? row.device : 0, is_stream ? row.id : 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t left, std::int32_t right) { return key(left) < key(right); });
  std::vector<std::int32_t> place(order.size());
  std::vector<RecordedRow> rows;
  for (const std::int32_t old : order) {
    place[static_cast<std::size_t>(old)] = static_cast<std::int32_t>(rows.size());
    rows.push_back(std::move(trace.rows[static_cast<std::size_t>(old)]));
  }
  trace.rows = std::move(rows);
  for (TraceEvent& event : trace.events) event.row = place[static_cast<std::size_t>(event.row)];
}

// from[i] is where the event that belongs to place i lies.
void put_in_places(std::vector<TraceEvent>& events, std::vector<std::uint32_t>& from) {
  for (std::uint32_t place = 0; place < from.size(); ++place) {
    if (from[place] == place) continue;
    const TraceEvent first = events[place];
    std::uint32_t at = place;
    while (from[at] != place) {
      events[at] = events[from[at]];
      at = std::exchange(from[at], at);
    }
    events[at] = first;
    from[at] = at;
  }
}

}  // namespace

void order_rows_and_events(RankTrace& trace) {
  order_rows(trace);
  std::vector<TraceEvent>& events = trace.events;
  std::vector<std::uint32_t> begins(trace.rows.size() + 1);
  for (const TraceEvent& event : events) ++begins[static_cast<std::size_t>(event.row) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> from(events.size()), next(begins.begin(), begins.end());
  for (std::uint32_t i = 0; i < events.size(); ++i)
    from[next[static_cast<std::size_t>(events[i].row)]++] = i;
  const auto before = [&](std::uint32_t left, std::uint32_t right) {
    return std::tuple(events[left].start, -events[left].time) <
           std::tuple(events[right].start, -events[right].time);
  };
  for (std::size_t row = 0; row + 1 < begins.size(); ++row) {
    const auto begin = from.begin() + begins[row], end = from.begin() + begins[row + 1];
    if (!std::is_sorted(begin, end, before)) std::stable_sort(begin, end, before);
  }
  put_in_places(events, from);
}

}  // namespace quintet::kineto
