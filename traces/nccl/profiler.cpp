#include "traces/nccl/profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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

constexpr std::int64_t kinds = static_cast<std::int64_t>(CommunicationKind::unknown) + 1;

enum class Category { group, call, launch, communication, channel, step, other };

Category category_of(std::string_view word) {
  using enum Category;
  constexpr std::array<std::pair<std::string_view, Category>, 15> words{{{"GROUP_API", group},
                                                                         {"GROUP", group},
                                                                         {"COLL_API", call},
                                                                         {"P2P_API", call},
                                                                         {"KERNEL_LAUNCH", launch},
                                                                         {"COLL", communication},
                                                                         {"P2P", communication},
                                                                         {"CE_COLL", communication},
                                                                         {"GPU", channel},
                                                                         {"PROXY", step},
                                                                         {"NET", step},
                                                                         {"NET_IB", step},
                                                                         {"NET_SOCK", step},
                                                                         {"CE_SYNC", step},
                                                                         {"CE_BATCH", step}}};
  for (const auto& [name, category] : words)
    if (name == word) return category;
  return other;
}

// Begun and not ended.
struct Open {
  Category category = Category::other;
  std::string name, stream;
  TraceEvent event;
  RecordedCommunication facts;
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = -1;  // of its channels
};

struct Process {
  TraceDraft draft;
  std::vector<Open> open;
  std::int64_t calls = 0;
};

class ProfileReader {
 public:
  explicit ProfileReader(Pieces& pieces) : pieces_(pieces) {}

  Result<std::vector<RankTrace>> read() {
    std::string object;
    while (true) {
      const Result<bool> more = pieces_.object(object);
      if (!more) return more.error();
      if (!*more) return finish();
      if (auto error = fields_.parse(object, pieces_.place())) return *error;
      if (fields_.text_if("ph").empty() || fields_.text_if("cat").empty()) continue;
      take();
      if (fields_.error()) return *fields_.error();
    }
  }

 private:
  void take() {
    const std::string phase = fields_.text("ph");
    const Category category = category_of(fields_.text("cat"));
    Process& process = process_of_event();
    if (category == Category::step) {
      if (phase == "b") process.draft.leave_out("steps of NCCL's proxies and networks");
      return;
    }
    if (category == Category::other)
      return process.draft.leave_out("events of category " + shown(fields_.text("cat")));
    const std::int64_t time = nanoseconds();
    const std::string name = fields_.text("name");
    if (fields_.error()) return;
    if (phase == "b")
      begin(process, category, name, time);
    else if (phase == "e")
      end(process, category, name, time);
    else
      process.draft.leave_out("events of phase " + shown(phase));
  }

  Process& process_of_event() {
    const std::int64_t id = fields_.integer("pid", 0, std::numeric_limits<std::int32_t>::max());
    return processes_.try_emplace(id, Process{TraceDraft(pieces_.where(), "NCCL profiler"), {}, 0})
        .first->second;
  }

  std::int64_t nanoseconds() {
    const double time = fields_.number("ts");
    // What was never recorded is written as -1.
    if (std::abs(time) < 1e15) return std::llround(time * 1000);
    fields_.fail("ts", "expected microseconds since the plugin was loaded");
    return 0;
  }

  void begin(Process& process, Category category, const std::string& name, std::int64_t time) {
    // Nesting is as deep as the kinds of events are.
    if (process.open.size() > 64)
      return fields_.fail("ph", "more than 64 events have begun and not ended");
    Open open{.category = category, .name = name, .stream = fields_.text_if("args.Stream")};
    open.event.start = time;
    if (category == Category::call) open.event.correlation = ++process.calls;
    if (category == Category::communication) open.facts = facts_of(process, name);
    process.open.push_back(std::move(open));
  }

  RecordedCommunication facts_of(Process& process, const std::string& name) {
    RecordedCommunication facts{.kind = communication_named(name)};
    if (const auto hash = fields_.unsigned_if("args.CommHash")) {
      facts.group = process.draft.group(fmt::format("0x{:x}", *hash));
      note_rank(process.draft.trace().groups[static_cast<std::size_t>(facts.group)]);
    }
    if (const auto number = fields_.integer_if("args.SeqNum");
        number && *number >= 0 && *number < std::int64_t{1} << 58)
      facts.sequence = *number * kinds + static_cast<std::int64_t>(facts.kind);
    set_size(facts);
    const std::string algorithm = fields_.text_if("args.Algorithm");
    if (!algorithm.empty())
      facts.detail = shown(algorithm) + " " + shown(fields_.text_if("args.Protocol"));
    if (const auto channels = fields_.integer_if("args.nChannels"))
      facts.detail += fmt::format("{}{} channels", facts.detail.empty() ? "" : ", ", *channels);
    if (const auto peer = fields_.integer_if("args.Peer")) facts.detail = peer_text(*peer);
    return facts;
  }

  // Of how many, nobody says.
  void note_rank(ProcessGroup& group) const {
    const auto rank = fields_.integer_if("args.Rank");
    if (rank && *rank >= 0 && *rank < 1 << 30 && group.description.empty())
      group.description = member_text("", {static_cast<int>(*rank), 0});
  }

  void set_size(RecordedCommunication& facts) const {
    const auto type =
        nccl_type(fields_.text_if("args.Datatype").empty() ? fields_.text_if("args.datatype")
                                                           : fields_.text_if("args.Datatype"));
    auto count = fields_.integer_if("args.Count");
    if (!count) count = fields_.integer_if("args.count");
    std::int64_t bytes = 0;
    if (!type || !count || *count < 0 || __builtin_mul_overflow(*count, type->bytes, &bytes))
      return;
    set_counted(facts, bytes, type, 0);
  }

  void end(Process& process, Category category, const std::string& name, std::int64_t time) {
    const auto found = std::find_if(
        process.open.rbegin(), process.open.rend(),
        [&](const Open& open) { return open.category == category && open.name == name; });
    if (found == process.open.rend())
      return process.draft.leave_out("ends of events that did not begin");
    Open ended = std::move(*found);
    process.open.erase(std::next(found).base());
    if (ended.category == Category::channel) return end_channel(process, ended.event.start, time);
    if (ended.category == Category::communication && ended.last >= ended.first)
      ended.event.start = ended.first, time = ended.last;
    else if (ended.category == Category::communication)
      process.draft.leave_out(
          "instants of kernels (communications without them last from being enqueued on)");
    if (time < ended.event.start)
      return process.draft.leave_out("events that end before they start");
    ended.event.time = time - ended.event.start;
    keep(process, ended);
  }

  static void end_channel(Process& process, std::int64_t start, std::int64_t stop) {
    if (start < 0 || stop < start)
      return process.draft.leave_out("channels of kernels without instants");
    for (auto open = process.open.rbegin(); open != process.open.rend(); ++open)
      if (open->category == Category::communication) {
        open->first = std::min(open->first, start), open->last = std::max(open->last, stop);
        return;
      }
    process.draft.leave_out("channels of no communication");
  }

  static void keep(Process& process, Open& ended) {
    TraceEvent event = ended.event;
    event.name = process.draft.name(ended.name);
    if (ended.category == Category::communication) {
      event.kind = EventKind::kernel;
      event.row = stream_row(process, ended.facts.group);
      for (const Open& each : process.open)
        if (each.category == Category::call) event.correlation = each.event.correlation;
      event.facts = process.draft.facts(std::move(ended.facts));
    } else {
      event.row = process.draft.row({.kind = RecordedRow::Kind::thread, .name = "calls of NCCL"});
      event.kind = ended.category == Category::call    ? EventKind::launch
                   : ended.category == Category::group ? EventKind::annotation
                                                       : EventKind::call;
    }
    process.draft.trace().events.push_back(event);
  }

  // The stream that the call named, else one for what runs in the communicator.
  static std::int32_t stream_row(Process& process, std::int32_t group) {
    for (auto open = process.open.rbegin(); open != process.open.rend(); ++open) {
      std::int64_t id = 0;
      const std::string& stream = open->stream;
      if (open->category != Category::call || !stream.starts_with("0x")) continue;
      const auto [end, code] =
          std::from_chars(stream.data() + 2, stream.data() + stream.size(), id, 16);
      if (code == std::errc{} && end == stream.data() + stream.size())
        return process.draft.row(
            {.kind = RecordedRow::Kind::stream, .id = id, .name = "stream " + stream});
    }
    return process.draft.row(
        {.kind = RecordedRow::Kind::stream,
         .id = group,
         .name = group < 0
                     ? std::string("communications")
                     : "communicator " +
                           process.draft.trace().groups[static_cast<std::size_t>(group)].name});
  }

  Result<std::vector<RankTrace>> finish() {
    std::vector<RankTrace> traces;
    for (auto& [id, process] : processes_) {
      process.draft.leave_out("events that did not end",
                              static_cast<std::int64_t>(process.open.size()));
      if (process.draft.trace().communications.empty()) continue;
      traces.push_back(process.draft.finish());
    }
    if (!traces.empty()) return traces;
    return Error{
        pieces_.where(),
        "holds no collective and no message that ends; expected events of category COLL or "
        "P2P (NCCL_PROFILE_EVENT_MASK has to include them)"};
  }

  Pieces& pieces_;
  RecordFields fields_;
  std::map<std::int64_t, Process> processes_;
};

}  // namespace

bool is_nccl_profile(std::string_view beginning) {
  const std::size_t begin = beginning.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (beginning[begin] != '[' && beginning[begin] != '{'))
    return false;
  if (beginning.find("\"ph\": \"b\"") == std::string_view::npos &&
      beginning.find("\"ph\":\"b\"") == std::string_view::npos)
    return false;
  for (const char* const category : {"GROUP_API\"", "GROUP\"", "COLL_API\"", "P2P_API\"", "COLL\"",
                                     "P2P\"", "PROXY\"", "KERNEL_LAUNCH\""})
    for (const char* const before : {"\"cat\": \"", "\"cat\":\""})
      if (beginning.find(std::string(before) + category) != std::string_view::npos) return true;
  return false;
}

Result<std::vector<RankTrace>> read_nccl_profile(const std::filesystem::path& file,
                                                 const ReadingProgress& progress) {
  Result<ByteSource> source = ByteSource::open(file);
  if (!source) return source.error();
  Pieces pieces(file.string(), reading(*source, progress));
  return ProfileReader(pieces).read();
}

Result<std::vector<RankTrace>> parse_nccl_profile(std::string_view text, const std::string& where) {
  Pieces pieces(where, reading(text));
  return ProfileReader(pieces).read();
}

}  // namespace quintet
