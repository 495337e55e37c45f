#include "traces/nccl/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "sim/base/shown_text.h"
#include "traces/nccl/members.h"
#include "traces/nccl/nccl_words.h"
#include "traces/nccl/pieces.h"
#include "traces/nccl/record_fields.h"
#include "traces/trace/trace_draft.h"

namespace quintet {
namespace {

constexpr std::int64_t most_micros = std::int64_t{1} << 52;  // until the year 2112
constexpr std::int64_t earliest = -(std::int64_t{1} << 61);  // nanoseconds; times sum up
constexpr std::int64_t kinds = static_cast<std::int64_t>(CommunicationKind::unknown) + 1;
constexpr const char* guessed =
    "instants of communications without an event trace (they end when their lines were written)";

struct Process {
  TraceDraft draft;
  std::vector<std::size_t> dated;  // indices of events whose end is when they were written down
};

class InspectorReader {
 public:
  explicit InspectorReader(Pieces& pieces) : pieces_(pieces) {}

  Result<std::vector<RankTrace>> read() {
    std::string line;
    while (true) {
      const Result<bool> more = pieces_.line(line);
      if (!more) return more.error();
      if (!*more) break;
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
      if (is_nccl_prometheus(line)) return prometheus();
      if (auto error = fields_.parse(line, pieces_.place())) return *error;
      take();
      if (fields_.error()) return *fields_.error();
    }
    return finish();
  }

 private:
  Error prometheus() const {
    return Error{pieces_.place(),
                 "holds Inspector's figures for Prometheus, means over many calls without order or "
                 "instants; expected its lines of JSON (run with NCCL_INSPECTOR_PROM_DUMP=0)"};
  }

  void take() {
    if (fields_.has("coll_perf")) return take_communication("coll_perf.", "coll");
    if (fields_.has("p2p_perf")) return take_communication("p2p_perf.", "p2p");
    process_of_line().draft.leave_out("lines of neither a collective nor a message");
  }

  Process& process_of_line() { return process(fields_.text("metadata.hostname")); }

  Process& process(const std::string& host) {
    const std::int64_t id =
        fields_.integer("metadata.pid", 0, std::numeric_limits<std::int32_t>::max());
    const auto [at, is_new] = processes_.try_emplace(
        {host, id}, Process{TraceDraft(pieces_.where(), "NCCL Inspector"), {}});
    if (is_new) {
      at->second.draft.trace().host = host;
      at->second.draft.trace().zero_nanoseconds = 0;
    }
    return at->second;
  }

  void take_communication(const std::string& in, const std::string& word) {
    Process& process = process_of_line();
    const std::int32_t group = group_of(process);
    const std::string call = fields_.text(in + word);
    RecordedCommunication facts{.kind = communication_named(call), .group = group};
    const std::int64_t bytes =
        fields_.integer(in + word + "_msg_size_bytes", 0, std::int64_t{1} << 60);
    const std::int64_t number = fields_.integer(in + word + "_sn", 0, std::int64_t{1} << 58);
    facts.sequence = number * kinds + static_cast<std::int64_t>(facts.kind);
    set_counted(facts, bytes, std::nullopt, fields_.integer("header.n_ranks", 1, 1 << 30));
    if (const auto peer = fields_.integer_if(in + word + "_peer")) facts.detail = peer_text(*peer);
    if (fields_.error()) return;
    TraceEvent event{.name = process.draft.name(call), .row = row_of(process, group)};
    event.kind = EventKind::kernel;
    event.facts = process.draft.facts(std::move(facts));
    if (fields_.has(in + "event_trace_ts"))
      take_traced(in + "event_trace_ts.", word, event, process);
    else
      take_dated(in + word + "_exec_time_us", event, process);
  }

  std::int32_t group_of(Process& process) {
    const std::string name = fields_.text("header.id");
    const auto size = static_cast<int>(fields_.integer("header.n_ranks", 1, 1 << 30));
    const auto rank = static_cast<int>(fields_.integer("header.rank", 0, size - 1));
    const std::int32_t group = process.draft.group(name);
    ProcessGroup& made = process.draft.trace().groups[static_cast<std::size_t>(group)];
    made.size = size;
    made.description = member_text(fields_.text_if("header.comm_name"), {rank, size});
    return group;
  }

  static std::int32_t row_of(Process& process, std::int32_t group) {
    const std::string& name = process.draft.trace().groups[static_cast<std::size_t>(group)].name;
    return process.draft.row({.kind = RecordedRow::Kind::stream,
                              .id = group,
                              .name = "communicator " + shown(name, 60)});
  }

  // From the first channel's start to the last one's stop; the call is what enqueued it.
  void take_traced(const std::string& in, const std::string& word, TraceEvent& event,
                   Process& process) {
    const std::int64_t called = fields_.integer(in + word + "_start_ts", 0, most_micros);
    const std::int64_t returned = fields_.integer(in + word + "_stop_ts", 0, most_micros);
    std::int64_t start = called, stop = std::max(called, returned);
    const auto channels = fields_.pairs(in + "kernel_events", "kernel_start_ts", "kernel_stop_ts");
    if (!channels.empty()) start = most_micros, stop = 0;
    for (const auto& [from, to] : channels)
      start = std::min(start, from), stop = std::max(stop, to);
    if (start < 0 || stop < start || stop > most_micros)
      return fields_.fail(in + "kernel_events", "expected kernels that stop after they start");
    event.start = start * 1000, event.time = (stop - start) * 1000;
    if (!channels.empty() && returned >= called && !fields_.error()) {
      event.correlation = ++calls_;
      process.draft.trace().events.push_back(
          {.start = called * 1000,
           .time = (returned - called) * 1000,
           .correlation = event.correlation,
           .name = process.draft.name(
               "nccl" + process.draft.trace().names[static_cast<std::size_t>(event.name)]),
           .row = process.draft.row({.kind = RecordedRow::Kind::thread, .name = "calls of NCCL"}),
           .kind = EventKind::launch});
    }
    process.draft.trace().events.push_back(event);
  }

  void take_dated(const std::string& time, TraceEvent& event, Process& process) {
    const std::int64_t written = fields_.integer("metadata.dump_timestamp_us", 0, most_micros);
    const double taken = fields_.number(time);
    if (!(taken >= 0 && taken <= static_cast<double>(most_micros)))
      return fields_.fail(time, "expected a time in microseconds");
    event.time = static_cast<std::int64_t>(taken * 1000 + 0.5);
    event.start = written * 1000 - event.time;
    process.dated.push_back(process.draft.trace().events.size());
    process.draft.trace().events.push_back(event);
  }

  // In order of their numbers, from the last back, each ends before the next of its row starts.
  static void space_out(Process& process) {
    RankTrace& trace = process.draft.trace();
    std::vector<std::size_t> order(trace.events.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<bool> dated(order.size());
    for (const std::size_t at : process.dated) dated[at] = true;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      const TraceEvent &one = trace.events[left], &other = trace.events[right];
      return std::pair(one.row, one.end()) < std::pair(other.row, other.end());
    });
    for (std::size_t k = order.size(); k-- > 1;) {
      TraceEvent& event = trace.events[order[k - 1]];
      const TraceEvent& next = trace.events[order[k]];
      if (dated[order[k - 1]] && event.row == next.row)
        event.start = std::max(std::min(event.start, next.start - event.time), earliest);
    }
    process.draft.leave_out(guessed, static_cast<std::int64_t>(process.dated.size()));
  }

  // Instants count from the first, which is what is known of the time of day.
  static void count_from_first(RankTrace& trace) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const TraceEvent& event : trace.events) first = std::min(first, event.start);
    for (TraceEvent& event : trace.events) event.start -= first;
    trace.zero_nanoseconds = first;
  }

  Result<std::vector<RankTrace>> finish() {
    std::vector<RankTrace> traces;
    for (auto& [key, process] : processes_) {
      if (process.draft.trace().events.empty()) continue;
      space_out(process);
      count_from_first(process.draft.trace());
      traces.push_back(process.draft.finish());
    }
    if (traces.empty())
      return Error{pieces_.where(),
                   "holds no communication; expected lines of NCCL Inspector with coll_perf or "
                   "p2p_perf"};
    agree_on_ranks(traces);
    return traces;
  }

  Pieces& pieces_;
  RecordFields fields_;
  std::map<std::pair<std::string, std::int64_t>, Process> processes_;
  std::int64_t calls_ = 0;
};

}  // namespace

bool is_nccl_inspector(std::string_view beginning) {
  const std::size_t begin = beginning.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || beginning[begin] != '{') return false;
  for (const char* const word :
       {"\"inspector_output_format_version\"", "\"coll_perf\"", "\"p2p_perf\""})
    if (beginning.find(word) != std::string_view::npos) return true;
  return false;
}

bool is_nccl_prometheus(std::string_view beginning) {
  for (const char* const name :
       {"nccl_bus_bandwidth_gbs{", "nccl_collective_exec_time_microseconds{",
        "nccl_p2p_bus_bandwidth_gbs{", "nccl_p2p_exec_time_microseconds{"})
    if (beginning.find(name) != std::string_view::npos) return true;
  return false;
}

Result<std::vector<RankTrace>> read_nccl_inspector(const std::filesystem::path& file,
                                                   const ReadingProgress& progress) {
  Result<ByteSource> source = ByteSource::open(file);
  if (!source) return source.error();
  Pieces pieces(file.string(), reading(*source, progress));
  return InspectorReader(pieces).read();
}

Result<std::vector<RankTrace>> parse_nccl_inspector(std::string_view text,
                                                    const std::string& where) {
  Pieces pieces(where, reading(text));
  return InspectorReader(pieces).read();
}

}  // namespace quintet
