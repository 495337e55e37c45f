#include <algorithm>
#include <string>
#include <utility>

#include "traces/nsight/tables.h"
#include "traces/trace/waiting_calls.h"

namespace quintet::nsight {
namespace {

// CUPTI says "none" with the greatest number of 32 bits.
std::int64_t known(std::int64_t id) {
  return id == 0xFFFFFFFF ? -1 : id;
}

// By CUPTI's number (CUpti_ActivitySynchronizationType).
std::optional<RecordedWait::Kind> wait_of(std::int64_t type) {
  switch (type) {
    case 1:
      return RecordedWait::Kind::event;
    case 2:
      return RecordedWait::Kind::stream_waits_event;
    case 3:
      return RecordedWait::Kind::stream;
    case 4:
      return RecordedWait::Kind::device;
    default:
      return std::nullopt;
  }
}

// The last that was recorded before the call: correlations count calls.
std::optional<EventRecord> record_before(const Process& process, std::int64_t event,
                                         std::int64_t correlation) {
  const auto found = process.records.find(event);
  if (found == process.records.end()) return std::nullopt;
  const auto after = std::upper_bound(
      found->second.begin(), found->second.end(), correlation,
      [](std::int64_t call, const EventRecord& record) { return call < record.correlation; });
  return after == found->second.begin() ? std::nullopt : std::optional(*(after - 1));
}

std::optional<Error> read_records(const Database& database, Processes& processes) {
  auto error = database.each(
      "CUPTI_ACTIVITY_KIND_CUDA_EVENT", {"streamId", "correlationId", "eventId"}, {"globalPid"},
      [&](const TableRow& row) {
        const auto correlation = row.integer(1);
        Process* const process = processes.of_row(row.integer(3));
        if (process != nullptr && correlation)
          process->records[row.needed(2)].push_back({*correlation, known(row.needed(0))});
      });
  for (auto& [global, process] : processes.all())
    for (auto& [event, records] : process.records)
      std::stable_sort(records.begin(), records.end(),
                       [](const EventRecord& left, const EventRecord& right) {
                         return left.correlation < right.correlation;
                       });
  return error;
}

}  // namespace

std::optional<Error> read_waits(const Database& database, Processes& processes) {
  if (auto error = read_records(database, processes)) return error;
  return database.each(
      "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"streamId", "syncType"},
      {"correlationId", "globalPid", "eventId"}, [&](const TableRow& row) {
        const auto correlation = row.integer(2);
        Process* const process = processes.of_row(row.integer(3));
        const auto kind = wait_of(row.needed(1));
        if (process == nullptr || !correlation || !kind)
          return processes.leave_out("waits of no known call or kind");
        RecordedWait wait{.kind = *kind, .stream = known(row.needed(0))};
        const auto record = record_before(*process, row.integer(4).value_or(-1), *correlation);
        if (record &&
            (*kind == RecordedWait::Kind::event || *kind == RecordedWait::Kind::stream_waits_event))
          wait.recorded_by = record->correlation, wait.recorded_on = record->stream;
        process->waits.emplace(*correlation, wait);
      });
}

namespace {

void take_wait(RecordedWait::Kind kind, Process& process, TraceEvent& event) {
  const auto found = process.waits.find(event.correlation);
  RecordedWait wait{.kind = kind};
  if (found != process.waits.end()) wait = found->second, process.waits.erase(found);
  event.kind =
      wait.kind == RecordedWait::Kind::stream_waits_event ? EventKind::call : EventKind::block;
  event.facts = process.draft.facts(wait);
}

void take_call(const TableRow& row, std::int64_t thread, Process& process, Processes& processes) {
  const std::string_view name = without_version(processes.text(row.integer(2)));
  TraceEvent event{.start = row.instant(0),
                   .time = row.instant(1) - row.instant(0),
                   .correlation = row.integer(4).value_or(-1),
                   .name = process.draft.name(name.empty() ? "call without a name" : name),
                   .row = processes.thread_row(process, thread),
                   .kind = EventKind::call};
  if (event.correlation == 0) event.correlation = -1;
  if (const auto wait = wait_named(name))
    take_wait(*wait, process, event);
  else if (process.put_on_streams.count(event.correlation) > 0)
    event.kind = EventKind::launch;
  if (process.nccl.launched(event.correlation))
    process.nccl.add_launch(thread, event.start, event.correlation);
  process.draft.trace().events.push_back(event);
}

}  // namespace

std::optional<Error> read_calls(const Database& database, Processes& processes) {
  auto error =
      database.each("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "nameId"},
                    {"globalTid", "correlationId"}, [&](const TableRow& row) {
                      const auto thread = row.integer(3);
                      Process* const process = processes.of_row(thread);
                      if (process == nullptr)
                        return processes.leave_out("calls of no known thread");
                      if (row.instant(1) < row.instant(0))
                        return processes.leave_out("calls that end before they start");
                      take_call(row, thread.value_or(process->global), *process, processes);
                    });
  for (auto& [global, process] : processes.all())
    process.draft.leave_out("waits inside calls that are no waits by their name",
                            static_cast<std::int64_t>(process.waits.size()));
  return error ? error : processes.wrong();
}

// Before 2021 kernels, copies and fills named no process: where one made all calls they are its.
std::optional<Error> read_only_process(const Database& database, Processes& processes) {
  bool all_say = true;
  for (const char* const table : {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"}) {
    const std::string name = std::string("CUPTI_ACTIVITY_KIND_") + table;
    all_say = all_say && (!database.has(name) || database.has(name, "globalPid"));
  }
  if (all_say) return std::nullopt;
  std::optional<std::int64_t> only;
  bool several = false;
  auto error =
      database.each("CUPTI_ACTIVITY_KIND_RUNTIME", {}, {"globalTid"}, [&](const TableRow& row) {
        const auto thread = row.integer(0);
        if (!thread) return;
        const std::int64_t process = process_of(*thread);
        several = several || (only && *only != process);
        only = process;
      });
  if (error) return error;
  if (several)
    return Error{database.where(),
                 "does not say which of its processes kernels ran for (no column globalPid); "
                 "expected an export of Nsight Systems 2021 or later, or one process"};
  processes.set_only(only.value_or(0));
  return std::nullopt;
}

}  // namespace quintet::nsight
