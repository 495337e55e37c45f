#include "traces/kineto/link_events.h"

#include <algorithm>
#include <tuple>

#include "traces/trace/index_table.h"

namespace quintet::kineto {
namespace {

bool is_on_device(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::copy || kind == EventKind::fill;
}

bool is_call(EventKind kind) {
  return kind == EventKind::launch || kind == EventKind::block || kind == EventKind::call;
}

template <class Element>
auto& at(std::vector<Element>& all, std::int32_t index) {
  return all[static_cast<std::size_t>(index)];
}

// What was recorded of the call's wait. A query returns at once, whatever was recorded of it.
void take_wait(TraceParts& parts, TraceEvent& call, const RecordedWait& wait) {
  std::vector<RecordedWait>& waits = parts.trace.waits;
  if (call.facts < 0) {
    const bool waits_by_the_way =
        call.kind == EventKind::call && parts.names[call.name].find("Query") == std::string::npos;
    if (!waits_by_the_way) return;
    if (wait.kind != RecordedWait::Kind::stream_waits_event) call.kind = EventKind::block;
    call.facts = static_cast<std::int32_t>(waits.size());
    waits.push_back(wait);
    return;
  }
  RecordedWait& known = at(waits, call.facts);
  known.stream = std::max(known.stream, wait.stream);
  known.recorded_by = std::max(known.recorded_by, wait.recorded_by);
  known.recorded_on = std::max(known.recorded_on, wait.recorded_on);
}

void show_lonely_waits(TraceParts& parts, const std::vector<bool>& has_call) {
  for (std::size_t i = 0; i < parts.syncs.size(); ++i) {
    if (has_call[i]) continue;
    const SyncRecord& sync = parts.syncs[i];
    TraceEvent event = sync.event;
    event.kind = sync.wait.kind == RecordedWait::Kind::stream_waits_event ? EventKind::call
                                                                          : EventKind::block;
    event.row = parts.rows.synchronisations(event.row < 0 ? "?" : std::to_string(event.row));
    event.facts = static_cast<std::int32_t>(parts.trace.waits.size());
    parts.trace.waits.push_back(sync.wait);
    parts.trace.events.push_back(event);
  }
}

}  // namespace

void link_events(TraceParts& parts) {
  std::vector<TraceEvent>& events = parts.trace.events;
  std::size_t on_device = 0;
  for (const TraceEvent& event : events) on_device += is_on_device(event.kind) ? 1 : 0;
  IndexTable launched(on_device, [&](std::int32_t i) { return at(events, i).correlation; });
  for (std::size_t i = 0; i < events.size(); ++i)
    if (is_on_device(events[i].kind) && events[i].correlation >= 0)
      launched.insert(static_cast<std::int32_t>(i));
  IndexTable syncs(parts.syncs.size(),
                   [&](std::int32_t i) { return at(parts.syncs, i).event.correlation; });
  for (std::size_t i = 0; i < parts.syncs.size(); ++i) syncs.insert(static_cast<std::int32_t>(i));

  const std::vector<std::int32_t>& silent = parts.silent_kernels;
  std::vector<std::int32_t> launches(silent.size(), -1);
  std::vector<bool> has_call(parts.syncs.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    TraceEvent& call = events[i];
    if (!is_call(call.kind) || call.correlation < 0) continue;
    if (const std::int32_t sync = syncs.find(call.correlation); sync >= 0) {
      has_call[static_cast<std::size_t>(sync)] = true;
      take_wait(parts, call, at(parts.syncs, sync).wait);
    }
    const std::int32_t work = launched.find(call.correlation);
    if (work < 0) continue;
    if (call.kind == EventKind::call && call.facts < 0) call.kind = EventKind::launch;
    if (call.kind == EventKind::block && call.facts >= 0) {
      std::int64_t& stream = at(parts.trace.waits, call.facts).stream;
      if (stream < 0) stream = parts.rows[at(events, work).row].id;
    }
    const auto found = std::lower_bound(silent.begin(), silent.end(), work);
    if (found != silent.end() && *found == work)
      launches[static_cast<std::size_t>(found - silent.begin())] = static_cast<std::int32_t>(i);
  }
  tell_communications(parts, launches);
  show_lonely_waits(parts, has_call);
}

void number_by_records(TraceParts& parts) {
  std::vector<TraceParts::OperationIds>& ids = parts.operation_ids;
  if (!parts.has_records || ids.empty()) return;
  IndexTable by_external(ids.size(), [&](std::int32_t i) { return at(ids, i).external; });
  {
    IndexTable by_record(ids.size(), [&](std::int32_t i) { return at(ids, i).record; });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto index = static_cast<std::int32_t>(i);
      if (!by_external.insert(index) || !by_record.insert(index)) return;
    }
  }
  for (TraceEvent& event : parts.trace.events) {
    if (event.external < 0) continue;
    const std::int32_t found = by_external.find(event.external);
    event.external = found < 0 ? -1 : at(ids, found).record;
  }
}

void link_by_arrows(TraceParts& parts) {
  if (!parts.flows_needed || parts.without_correlation == 0) return;
  std::vector<FlowEnd>& ends = parts.flows;
  // An event is at the end of an arrow that begins where and when it does.
  const auto before = [](const FlowEnd& left, const FlowEnd& right) {
    return std::tuple(left.row, left.at) < std::tuple(right.row, right.at);
  };
  std::stable_sort(ends.begin(), ends.end(), before);
  for (TraceEvent& event : parts.trace.events) {
    if (event.correlation >= 0 || (!is_on_device(event.kind) && !is_call(event.kind))) continue;
    const FlowEnd here{0, event.start, event.row, false};
    const auto found = std::lower_bound(ends.begin(), ends.end(), here, before);
    if (found != ends.end() && found->row == event.row && found->at == event.start)
      event.correlation = found->id;
  }
  std::vector<FlowEnd>().swap(ends);
}

}  // namespace quintet::kineto
