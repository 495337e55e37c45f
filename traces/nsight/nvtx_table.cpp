#include <charconv>
#include <string>

#include "traces/nsight/nvtx_payload.h"
#include "traces/nsight/tables.h"

namespace quintet::nsight {
namespace {

// Nsight's numbers of what an NVTX row is.
constexpr std::int64_t category = 33, mark = 34, thread_name = 39, pushed = 59, started = 60,
                       domain_created = 75, domain_destroyed = 76;

// ", seq = 5, " of PyTorch's emit_nvtx: "aten::mm, seq = 5, op_id = 7, sizes = [[2, 3]]".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data() + at + word.size(), end, number);
  return code == std::errc{} ? std::optional(number) : std::nullopt;
}

class NvtxReader {
 public:
  NvtxReader(const Database& database, Processes& processes)
      : database_(database), processes_(processes) {}

  std::optional<Error> read() {
    if (auto error = payloads_.read_schemas(database_)) return error;
    auto error = database_.each("NVTX_EVENTS", {"start"},
                                {"end", "eventType", "text", "textId", "globalTid", "binaryData"},
                                [&](const TableRow& row) { take(row); });
    return error ? error : processes_.wrong();
  }

 private:
  void take(const TableRow& row) {
    switch (row.integer(2).value_or(pushed)) {
      case pushed:
        return take_range(row, EventKind::annotation);
      case started:  // may end anywhere, so that they do not nest
        return take_range(row, EventKind::other);
      case mark:
        return processes_.leave_out("marks of NVTX");
      case category:
      case thread_name:
      case domain_created:
      case domain_destroyed:
        return;  // they say what others are called
      default:
        return processes_.leave_out("rows of NVTX of another kind");
    }
  }

  void take_range(const TableRow& row, EventKind kind) {
    const auto thread = row.integer(5);
    Process* const process = processes_.of_row(thread);
    if (process == nullptr) return processes_.leave_out("ranges of NVTX of no known thread");
    if (!row.integer(1)) return processes_.leave_out("ranges of NVTX that do not end");
    const std::int64_t start = row.instant(0), end = row.instant(1);
    if (end < start) return processes_.leave_out("ranges of NVTX that end before they start");
    std::string_view text = row.text(3);
    if (text.empty()) text = processes_.text(row.integer(4));
    TraceEvent event{.start = start,
                     .time = end - start,
                     .row = processes_.thread_row(*process, thread.value_or(process->global)),
                     .kind = kind};
    if (kind == EventKind::annotation && text.starts_with("aten::"))
      take_operation(text, *process, event);
    else
      event.name = process->draft.name(text);
    process->draft.trace().events.push_back(event);
    if (text.starts_with("nccl"))
      take_nccl(text, row, thread.value_or(process->global), event, *process);
  }

  static void take_operation(std::string_view text, Process& process, TraceEvent& event) {
    event.kind = EventKind::operation;
    event.name = process.draft.name(text.substr(0, text.find(',')));
    RecordedOperation facts;
    facts.sequence = number_after(text, ", seq = ").value_or(-1);
    if (const std::size_t at = text.find(", sizes = "); at != std::string_view::npos) {
      const std::string_view sizes = text.substr(at + 10);
      facts.shapes = process.draft.name(sizes.substr(0, sizes.find(", input_op_ids")));
    }
    event.facts = process.draft.facts(facts);
  }

  void take_nccl(std::string_view text, const TableRow& row, std::int64_t thread,
                 const TraceEvent& event, Process& process) const {
    const std::string_view blob = row.bytes(6);
    const auto communicator = payloads_.field(blob, "NCCL communicator ID");
    const auto rank = payloads_.field(blob, "Rank"), ranks = payloads_.field(blob, "No. of ranks");
    if (communicator && rank && ranks)
      process.nccl.set_member(static_cast<std::uint64_t>(*communicator), *rank, *ranks);
    auto call = nccl_call_named(text);
    if (!call) return;
    call->start = event.start, call->end = event.end();
    call->bytes = payloads_.field(blob, "Message size [bytes]").value_or(-1);
    call->peer = static_cast<int>(payloads_.field(blob, "Peer rank").value_or(-1));
    if (communicator) call->communicator = static_cast<std::uint64_t>(*communicator);
    process.nccl.add_call(thread, *call);
  }

  const Database& database_;
  Processes& processes_;
  NvtxPayloads payloads_;
};

}  // namespace

std::optional<Error> read_nvtx(const Database& database, Processes& processes) {
  return NvtxReader(database, processes).read();
}

}  // namespace quintet::nsight
