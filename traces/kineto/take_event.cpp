#include "traces/kineto/take_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/shown_text.h"
#include "traces/json_stream/decimal_numbers.h"
#include "traces/kineto/field_numbers.h"

namespace quintet::kineto {
namespace {

bool is_on_device(Category category) {
  switch (category) {
    case Category::kernel:
    case Category::copy:
    case Category::fill:
    case Category::device_annotation:
      return true;
    case Category::operation:
    case Category::annotation:
    case Category::call:
    case Category::synchronisation:
    case Category::other:
      return false;
  }
  return false;
}

EventKind kind_of(Category category) {
  switch (category) {
    case Category::operation:
      return EventKind::operation;
    case Category::annotation:
    case Category::device_annotation:
      return EventKind::annotation;
    case Category::kernel:
      return EventKind::kernel;
    case Category::copy:
      return EventKind::copy;
    case Category::fill:
      return EventKind::fill;
    case Category::call:
    case Category::synchronisation:
      return EventKind::call;
    case Category::other:
      return EventKind::other;
  }
  return EventKind::other;
}

// Arrows that say what correlations and sequence numbers say too.
bool is_known_arrow(std::string_view category) {
  constexpr std::array known{"ac2g", "fwdbwd", "async_cpu_to_gpu", "async_gpu"};
  return std::find(known.begin(), known.end(), category) != known.end();
}

std::string not_a_time(std::string_view key, std::string_view text) {
  return fmt::format("\"{}\" is {}: expected microseconds, less than 73 years", key,
                     in_quotes(text));
}

}  // namespace

void EventTaker::leave_out(std::string what) {
  constexpr std::size_t most_kinds = 64;  // a damaged file may have as many as events
  const auto found = parts_.left_out.find(what);
  if (found != parts_.left_out.end()) {
    ++found->second;
  } else if (parts_.left_out.size() < most_kinds) {
    parts_.left_out.emplace(std::move(what), 1);
  } else {
    ++parts_.left_out["events of further kinds"];
  }
}

std::size_t EventTaker::likely_count(std::size_t so_far) const {
  const double likely = 1.05 * static_cast<double>(so_far) / std::max(part_read_(), 1e-9);
  const double most = 8.0 * static_cast<double>(so_far);  // what is packed is no guide
  return so_far + 256 +
         static_cast<std::size_t>(
             std::max(0.0, std::min(likely, most) - static_cast<double>(so_far)));
}

std::optional<std::string> EventTaker::take(const EventFields& fields) {
  const std::string_view phase = fields[Field::phase];
  if (phase == "X") return complete(fields);
  if (phase == "s" || phase == "f" || phase == "t") return arrow(fields), std::nullopt;
  if (phase == "M") return metadata(fields), std::nullopt;
  if (phase == "i" || phase == "I" || phase == "R") {
    leave_out("instants (phase \"i\")");
  } else if (phase == "C") {
    leave_out("counters (phase \"C\")");
  } else if (phase.empty()) {
    leave_out("events without a phase (\"ph\")");
  } else {
    leave_out("events of phase " + in_quotes(phase));
  }
  return std::nullopt;
}

void EventTaker::metadata(const EventFields& fields) {
  ++parts_.metadata;
  if (fields[Field::name] == "thread_name" && fields.has(Field::given_name))
    parts_.rows.give_name(fields[Field::process], fields[Field::thread],
                          fields[Field::given_name].substr(0, 200));
}

void EventTaker::arrow(const EventFields& fields) {
  if (!is_known_arrow(fields[Field::category]))
    return leave_out("arrows of category " + in_quotes(fields[Field::category]));
  ++parts_.arrows;
  if (!parts_.flows_needed || fields[Field::category] == "fwdbwd") return;
  const auto id = json_stream::integer_of(fields[Field::flow]),
             at = json_stream::nanoseconds_of(fields[Field::start]);
  if (!id || !at) return;
  const bool is_start = fields[Field::phase] == "s";
  const auto kind = is_start ? RecordedRow::Kind::thread : RecordedRow::Kind::stream;
  const std::int32_t row = parts_.rows.find(kind, fields[Field::process], fields[Field::thread]);
  if (row >= 0) parts_.flows.push_back({*id, *at, row, is_start});
}

std::int32_t EventTaker::row_of(Category category, const EventFields& fields) {
  const auto kind = is_on_device(category) ? RecordedRow::Kind::stream : RecordedRow::Kind::thread;
  return parts_.rows.row(kind, fields[Field::process], fields[Field::thread]);
}

std::optional<std::string> EventTaker::complete(const EventFields& fields) {
  const Category category = category_of(fields[Field::category]);
  if (!fields.has(Field::start)) return leave_out("events without a time (\"ts\")"), std::nullopt;
  const auto start = json_stream::nanoseconds_of(fields[Field::start]);
  if (!start) return not_a_time("ts", fields[Field::start]);
  TraceEvent event{.start = *start, .kind = kind_of(category)};
  if (fields.has(Field::time)) {
    const auto time = json_stream::nanoseconds_of(fields[Field::time]);
    if (!time) return not_a_time("dur", fields[Field::time]);
    event.time = std::max<std::int64_t>(0, *time);
  }
  event.name = parts_.names.index_of(fields[Field::name]);
  event.correlation = identifier(fields, Field::correlation);
  event.external = identifier(fields, Field::external);
  // Older writers give what nobody is known to have asked for its own number.
  if (event.correlation == event.external) event.external = -1;
  if (category == Category::synchronisation) return synchronisation(event, fields), std::nullopt;
  event.row = row_of(category, fields);
  add(event, category, fields);
  return std::nullopt;
}

void EventTaker::add(TraceEvent event, Category category, const EventFields& fields) {
  switch (category) {
    case Category::kernel:
      kernel(event, fields);
      break;
    case Category::copy:
    case Category::fill:
      copy(event, fields);
      break;
    case Category::call:
      call(event);
      break;
    case Category::operation:
      operation(event, fields);
      break;
    case Category::annotation:
      annotation(event, fields);
      break;
    case Category::device_annotation:
    case Category::synchronisation:
    case Category::other:
      break;
  }
  if (is_on_device(category) && category != Category::device_annotation) {
    if (event.correlation < 0) ++parts_.without_correlation;
    if (event.correlation >= 0 && parts_.flows_needed) {
      parts_.flows_needed = false;
      std::vector<FlowEnd>().swap(parts_.flows);
    }
  }
  put(parts_.trace.events, event);
}

}  // namespace quintet::kineto
