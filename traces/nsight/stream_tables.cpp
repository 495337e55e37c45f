#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "traces/nccl/nccl_words.h"
#include "traces/nsight/tables.h"

namespace quintet::nsight {
namespace {

// Columns that all tables of what ran on a stream have, in this order, before their own.
const std::vector<std::string> needed{"start", "end", "deviceId", "streamId"};
std::vector<std::string> and_own(std::initializer_list<std::string> own) {
  std::vector<std::string> columns{"contextId", "correlationId", "globalPid"};
  columns.insert(columns.end(), own);
  return columns;
}
constexpr int own_column = 7;

class StreamTable {
 public:
  StreamTable(const Database& database, Processes& processes, std::string table, std::string things)
      : database_(database),
        processes_(processes),
        table_(std::move(table)),
        things_(std::move(things)) {}

  // `complete` gives an event its kind, its name and its facts.
  std::optional<Error> read(
      std::initializer_list<std::string> own,
      const std::function<void(const TableRow&, Process&, TraceEvent&)>& complete) const {
    auto error = database_.each(table_, needed, and_own(own), [&](const TableRow& row) {
      Process* const process = processes_.of_row(row.integer(6));
      if (process == nullptr) return leave_out("of no known process");
      if (row.instant(1) < row.instant(0)) return leave_out("that end before they start");
      TraceEvent event{.start = row.instant(0),
                       .time = row.instant(1) - row.instant(0),
                       .correlation = row.integer(5).value_or(-1),
                       .row = stream_row(row, *process)};
      complete(row, *process, event);
      if (event.correlation >= 0) process->put_on_streams.insert(event.correlation);
      process->draft.trace().events.push_back(event);
    });
    return error ? error : processes_.wrong();
  }

 private:
  void leave_out(const char* why) const { processes_.leave_out(things_ + " " + why); }

  // Contexts of one process may have streams of one number: the first's is "stream 7".
  static std::int32_t stream_row(const TableRow& row, Process& process) {
    const std::int64_t context = row.integer(4).value_or(0);
    const auto device = static_cast<int>(row.needed(2));
    const auto first = process.contexts.try_emplace(device, context).first;
    const std::string name = fmt::format("stream {}", row.needed(3));
    return process.draft.row(
        {.kind = RecordedRow::Kind::stream,
         .device = device,
         .id = row.needed(3),
         .name = first->second == context ? name : fmt::format("{} (context {})", name, context)});
  }

  const Database& database_;
  Processes& processes_;
  std::string table_, things_;
};

std::string_view kernel_name(const TableRow& row, Processes& processes) {
  for (const int column : {own_column, own_column + 1, own_column + 2})
    if (const std::string_view name = processes.text(row.integer(column)); !name.empty())
      return name;
  return "kernel without a name";
}

std::optional<Error> read_kernels(const Database& database, Processes& processes) {
  return StreamTable(database, processes, "CUPTI_ACTIVITY_KIND_KERNEL", "kernels")
      .read({"demangledName", "shortName", "mangledName"},
            [&](const TableRow& row, Process& process, TraceEvent& event) {
              const std::string_view name = kernel_name(row, processes);
              event.kind = EventKind::kernel;
              event.name = process.draft.name(name);
              if (auto communication = communication_of_kernel(name)) {
                event.facts = process.draft.facts(std::move(*communication));
                process.nccl.add_kernel(event.correlation, event.facts);
              }
            });
}

struct CopyKind {
  std::string_view name;
  std::optional<CopyDirection> direction;  // none: between two places of the host
};

// By CUPTI's number (CUpti_ActivityMemcpyKind), and Nsight's of moves of unified memory (11 to 13).
CopyKind copy_kind(std::int64_t kind) {
  using enum CopyDirection;
  switch (kind) {
    case 1:
    case 3:
    case 11:
      return {"Memcpy HtoD", host_to_device};
    case 2:
    case 4:
    case 12:
      return {"Memcpy DtoH", device_to_host};
    case 5:
    case 6:
    case 7:
    case 8:
    case 13:
      return {"Memcpy DtoD", device_to_device};
    case 9:
      return {"Memcpy HtoH", std::nullopt};
    case 10:
      return {"Memcpy PtoP", device_to_device};
    default:
      return {"Memcpy", std::nullopt};
  }
}

std::optional<Error> read_copies(const Database& database, Processes& processes) {
  return StreamTable(database, processes, "CUPTI_ACTIVITY_KIND_MEMCPY", "copies")
      .read({"bytes", "copyKind"}, [&](const TableRow& row, Process& process, TraceEvent& event) {
        const CopyKind kind = copy_kind(row.integer(own_column + 1).value_or(0));
        event.kind = EventKind::copy;
        event.name = process.draft.name(kind.name);
        const auto bytes = static_cast<double>(row.integer(own_column).value_or(-1));
        if (kind.direction)
          event.facts = process.draft.facts(RecordedCopy{*kind.direction, Bytes{bytes}});
      });
}

std::optional<Error> read_fills(const Database& database, Processes& processes) {
  return StreamTable(database, processes, "CUPTI_ACTIVITY_KIND_MEMSET", "fills")
      .read({"bytes"}, [&](const TableRow& row, Process& process, TraceEvent& event) {
        event.kind = EventKind::fill;
        event.name = process.draft.name("Memset");
        const auto bytes = static_cast<double>(row.integer(own_column).value_or(-1));
        event.facts = process.draft.facts(RecordedCopy{.size = Bytes{bytes}});
      });
}

// Graphs that were recorded as one piece (nsys profile --cuda-graph-trace=graph).
std::optional<Error> read_graphs(const Database& database, Processes& processes) {
  return StreamTable(database, processes, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphs")
      .read({"graphId"}, [&](const TableRow& row, Process& process, TraceEvent& event) {
        event.kind = EventKind::kernel;
        event.name =
            process.draft.name(fmt::format("CUDA graph {}", row.integer(own_column).value_or(0)));
      });
}

}  // namespace

std::optional<Error> read_streams(const Database& database, Processes& processes) {
  for (const auto read : {read_kernels, read_copies, read_fills, read_graphs})
    if (auto error = read(database, processes)) return error;
  return std::nullopt;
}

}  // namespace quintet::nsight
