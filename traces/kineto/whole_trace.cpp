#include "traces/kineto/whole_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/json_stream/list_document.h"
#include "traces/kineto/event_parser.h"
#include "traces/kineto/link_events.h"
#include "traces/kineto/order_events.h"
#include "traces/kineto/take_event.h"
#include "traces/kineto/trace_header.h"

namespace quintet::kineto {
namespace {

struct Tally {
  std::size_t events = 0;
  std::size_t replaced = 0;  // bytes that may not stand in JSON
  bool breaks_off = false;
};

// Events count from the first: what is made of nanoseconds, picoseconds for one, stays small.
void count_from_the_first(RankTrace& trace, std::int64_t base) {
  if (trace.events.empty()) {
    trace.zero_nanoseconds = base;
    return;
  }
  std::int64_t first = trace.events.front().start;
  for (const TraceEvent& event : trace.events) first = std::min(first, event.start);
  for (TraceEvent& event : trace.events) event.start -= first;
  // Both are at most 2^61 or 2^62.
  trace.zero_nanoseconds = base + first;
}

void say_what_is_left_out(TraceParts& parts, const Tally& tally) {
  if (tally.breaks_off)
    parts.left_out[fmt::format("the end of the file: it breaks off after event {}", tally.events)] =
        1;
  if (tally.replaced > 0)
    parts.left_out["bytes that may not stand in JSON, shown as \"?\" or a space"] +=
        static_cast<std::int64_t>(tally.replaced);
  if (parts.groups.contradictions() > 0)
    parts.left_out["process groups told in two ways, of which the first counts"] +=
        parts.groups.contradictions();
  for (const auto& [what, count] : parts.left_out) parts.trace.left_out.push_back({what, count});
}

RankTrace finished(TraceParts& parts, const Tally& tally) {
  link_by_arrows(parts);
  link_events(parts);
  number_by_records(parts);
  say_what_is_left_out(parts, tally);
  RankTrace& trace = parts.trace;
  trace.format = "Kineto";
  trace.names = std::move(parts.names).take();
  trace.rows = std::move(parts.rows).take();
  trace.groups = std::move(parts.groups).take();
  count_from_the_first(trace, parts.base_nanoseconds);
  order_rows_and_events(trace);
  return std::move(trace);
}

}  // namespace

Result<WholeTrace> read_whole(json_stream::JsonWindow& window) {
  TraceParts parts;
  EventTaker taker(parts, [&] { return window.part_read(); });
  EventParser parser([&](const EventFields& fields) { return taker.take(fields); });
  const json_stream::ListReader reader{
      .list = "traceEvents",
      .element = "event",
      .document =
          "a trace of PyTorch's profiler or of a program that writes Chrome's format, "
          "{\"traceEvents\": [...]} or [...]",
      .may_be_bare = true,
      .parse = [&](char* array, std::size_t size) { return parser.parse(array, size); },
      .count = [&] { return parser.events(); },
      .wants = [](std::string_view key) { return is_header_value(key); },
      .on_value =
          [&](const std::string& key, std::string_view value) {
            return take_header_value(parts, window.where(), key, value);
          }};
  const auto end = json_stream::read_list(window, reader);
  if (!end) return end.error();
  WholeTrace whole{.trace = {},
                   .events = static_cast<std::int64_t>(parser.events()),
                   .arrows = parts.arrows,
                   .metadata = parts.metadata};
  whole.trace = finished(parts, {parser.events(), parser.replaced(), end->breaks_off});
  whole.trace.file = window.where();
  return whole;
}

}  // namespace quintet::kineto
