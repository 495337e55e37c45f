#include "traces/nccl/communication_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "traces/nccl/log_line.h"
#include "traces/nccl/nccl_words.h"
#include "traces/nccl/pieces.h"

namespace quintet {
namespace {

std::optional<int> small(std::optional<std::int64_t> number) {
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

// Of a call: "AllReduce: opCount 1e7 sendbuff ...".
bool is_call(std::string_view message) {
  const std::size_t colon = message.find(": opCount ");
  return colon != std::string_view::npos && colon < 40;
}
// Of what became of one: "AllReduce: 4194304 Bytes -> Algo RING proto SIMPLE
// channel{Lo..Hi}={0..7}".
bool is_tuning(std::string_view message) {
  return message.find(" Bytes -> Algo ") != std::string_view::npos;
}
bool is_initialised(std::string_view message) {
  return message.find("Init COMPLETE") != std::string_view::npos &&
         !word_after(message, "comm").empty();
}

// Older versions write numbers.
std::string algorithm_name(std::string_view word) {
  constexpr std::array<std::string_view, 7> names{
      "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
  if (word.size() == 1 && word[0] >= '0' && word[0] < '7')
    return std::string(names[static_cast<std::size_t>(word[0] - '0')]);
  return std::string(word);
}
std::string protocol_name(std::string_view word) {
  constexpr std::array<std::string_view, 3> names{"LL", "LL128", "SIMPLE"};
  if (word.size() == 1 && word[0] >= '0' && word[0] < '3')
    return std::string(names[static_cast<std::size_t>(word[0] - '0')]);
  return std::string(word);
}

// Of "channel{Lo..Hi}={0..7}": 8.
int channels_in(std::string_view message) {
  const std::size_t at = message.find("}={");
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = message.substr(at + 3);
  const std::size_t dots = rest.find("..");
  if (dots == std::string_view::npos) return 0;
  int low = 0, high = 0;
  const auto read = [](std::string_view text, int& number) {
    std::from_chars(text.data(), text.data() + text.size(), number);
  };
  read(rest.substr(0, dots), low);
  read(rest.substr(dots + 2), high);
  return low >= 0 && high >= low && high < 1024 ? high - low + 1 : 0;
}

// A process under way: calls whose algorithm is not told yet are looked for among the latest.
struct Process {
  LoggedProcess logged;
  std::map<std::string, std::int32_t, std::less<>> communicators;  // by handle
  std::vector<std::size_t> untold;                                 // indices of communications
};

class LogReader {
 public:
  explicit LogReader(Pieces& pieces) : pieces_(pieces) {}

  Result<CommunicationLog> read() {
    std::string line;
    while (true) {
      const Result<bool> more = pieces_.line(line);
      if (!more) return more.error();
      if (!*more) return finish();
      if (line.find("CCL INFO ") == std::string::npos) continue;
      const auto found = log_line(line);
      if (!found || found->host.size() > 255)
        ++left_out_["lines that are damaged, as mixed output may be"];
      else
        take(*found);
    }
  }

 private:
  void take(const LogLine& line) {
    ++lines_;
    if (is_call(line.message)) return take_call(line);
    if (is_tuning(line.message)) return take_tuning(line);
    if (is_initialised(line.message)) take_communicator(line);
  }

  Process& process_of(const LogLine& line) {
    const auto [at, is_new] =
        processes_.try_emplace({std::string(line.host), line.process}, Process{});
    if (is_new) at->second.logged.host = line.host, at->second.logged.id = line.process;
    return at->second;
  }

  static std::int32_t communicator_of(Process& process, std::string_view handle) {
    const auto found = process.communicators.find(handle);
    if (found != process.communicators.end()) return found->second;
    const auto at = static_cast<std::int32_t>(process.logged.communicators.size());
    process.logged.communicators.push_back({.handle = std::string(handle)});
    process.communicators.emplace(handle, at);
    return at;
  }

  void take_communicator(const LogLine& line) {
    Process& process = process_of(line);
    const std::string_view handle = word_after(line.message, "comm");
    // A handle of one that was destroyed may be given to another.
    process.communicators.erase(std::string(handle));
    LoggedCommunicator& made =
        process.logged.communicators[static_cast<std::size_t>(communicator_of(process, handle))];
    made.name = word_after(line.message, "commId");
    made.size = small(number_after(line.message, "nranks")).value_or(0);
    made.rank = small(number_after(line.message, "rank")).value_or(-1);
    made.device = small(number_after(line.message, "cudaDev")).value_or(-1);
    made.parent = word_after(line.message, "parent");
    if (made.parent == "(nil)") made.parent.clear();
    made.color = small(number_after(line.message, "color")).value_or(0);
  }

  void take_call(const LogLine& line) {
    const std::string_view handle = word_after(line.message, "comm");
    const auto count = number_after(line.message, "count");
    if (handle.empty() || !count || *count < 0) {
      ++left_out_["calls that are damaged, as mixed output may be"];
      return;
    }
    Process& process = process_of(line);
    LoggedCommunication call{.count = *count,
                             .communicator = communicator_of(process, handle),
                             .nanoseconds = line.nanoseconds};
    call.kind = communication_named(line.message.substr(0, line.message.find(':')));
    call.launch = hexadecimal_after(line.message, "opCount").value_or(-1);
    call.root = small(number_after(line.message, "root")).value_or(-1);
    call.stream = word_after(line.message, "stream");
    LoggedCommunicator& communicator =
        process.logged.communicators[static_cast<std::size_t>(call.communicator)];
    if (const auto ranks = small(number_after(line.message, "nranks"))) communicator.size = *ranks;
    if (const auto rank = small(number_after(line.message, "globalrank")))
      process.logged.rank = *rank;
    set_size(call, number_after(line.message, "datatype").value_or(-1), communicator.size);
    if (collective_of(call.kind)) wait_for_tuning(process);
    process.logged.communications.push_back(std::move(call));
  }

  // Only ranks 0 are told; a group is not that large.
  static void wait_for_tuning(Process& process) {
    constexpr std::size_t most = 1024;
    process.untold.push_back(process.logged.communications.size());
    if (process.untold.size() > most) process.untold.erase(process.untold.begin());
  }

  static void set_size(LoggedCommunication& call, std::int64_t number, int ranks) {
    const auto type = nccl_type(number);
    std::int64_t bytes = 0;
    if (!type || __builtin_mul_overflow(call.count, type->bytes, &bytes)) return;
    RecordedCommunication counted{.kind = call.kind};
    set_counted(counted, bytes, type, ranks);
    call.size = counted.size, call.type = counted.type, call.type_known = counted.type_known;
  }

  // Of rank 0 of each communicator, once what a group asked for is launched. Older versions tell
  // the full buffer's size, newer ones what the call counts.
  void take_tuning(const LogLine& line) {
    Process& process = process_of(line);
    const CommunicationKind kind =
        communication_named(line.message.substr(0, line.message.find(':')));
    const auto bytes =
        number_after(line.message, line.message.substr(0, line.message.find(':') + 1));
    const std::string_view handle = word_after(line.message, "comm");
    const auto found = std::find_if(
        process.untold.begin(), process.untold.end(),
        [&](std::size_t at) { return is_of(process.logged, at, kind, bytes, handle); });
    if (found == process.untold.end()) {
      ++left_out_["choices of algorithms whose call is not there"];
      return;
    }
    LoggedCommunication& call = process.logged.communications[*found];
    call.algorithm = algorithm_name(word_after(line.message, "Algo"));
    call.protocol = protocol_name(word_after(line.message, "proto"));
    call.channels = channels_in(line.message);
    process.untold.erase(found);
  }

  static bool is_of(const LoggedProcess& process, std::size_t at, CommunicationKind kind,
                    std::optional<std::int64_t> bytes, std::string_view handle) {
    const LoggedCommunication& call = process.communications[at];
    const LoggedCommunicator& communicator =
        process.communicators[static_cast<std::size_t>(call.communicator)];
    if (call.kind != kind || !bytes || (!handle.empty() && communicator.handle != handle))
      return false;
    const double full = call.size.value, told = static_cast<double>(*bytes);
    return told == full || told * std::max(communicator.size, 1) == full;
  }

  Result<CommunicationLog> finish() {
    CommunicationLog log{.file = pieces_.where()};
    bool has_calls = false;
    for (auto& [key, process] : processes_) {
      has_calls = has_calls || !process.logged.communications.empty();
      log.processes.push_back(std::move(process.logged));
    }
    for (const auto& [what, count] : left_out_) log.left_out.push_back({what, count});
    if (has_calls) return log;
    return Error{pieces_.where(),
                 lines_ == 0 ? "has no line of NCCL's log; expected lines with \"NCCL INFO\" "
                               "(NCCL_DEBUG=INFO)"
                             : "logs no collective and no message; expected NCCL_DEBUG=INFO with "
                               "NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING"};
  }

  Pieces& pieces_;
  std::map<std::pair<std::string, std::int64_t>, Process> processes_;
  std::map<std::string, std::int64_t> left_out_;
  std::int64_t lines_ = 0;
};

}  // namespace

bool is_nccl_log(std::string_view beginning) {
  return beginning.find(" NCCL INFO ") != std::string_view::npos ||
         beginning.find(" RCCL INFO ") != std::string_view::npos;
}

Result<CommunicationLog> read_nccl_log(const std::filesystem::path& file,
                                       const ReadingProgress& progress) {
  Result<ByteSource> source = ByteSource::open(file);
  if (!source) return source.error();
  Pieces pieces(file.string(), reading(*source, progress));
  return LogReader(pieces).read();
}

Result<CommunicationLog> parse_nccl_log(std::string_view text, const std::string& where) {
  Pieces pieces(where, reading(text));
  return LogReader(pieces).read();
}

}  // namespace quintet
