#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/timeline/chrome_trace/trace_rows.h"
#include "sim/timeline/chrome_trace/trace_text.h"

namespace quintet {
namespace {

// Kineto's categories, so that tools which filter by them work (communication kernels are kernels).
std::string_view category(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return "kernel";
    case SpanKind::copy:
      return "gpu_memcpy";
    case SpanKind::host:
      return "cpu_op";
  }
  return "unknown";
}

// Our instruction names begin with the collective's; Kineto has PyTorch's words for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> collective_words{{
    {"all-reduce", "allreduce"},
    {"reduce-scatter", "_reduce_scatter_base"},
    {"all-gather", "_allgather_base"},
    {"all-to-all", "all_to_all"},
    {"broadcast", "broadcast"},
    {"reduce", "reduce"},
}};

std::string_view collective_name(const SpanInfo& info) {
  if (info.kind == SpanKind::send) return "send";
  if (info.kind == SpanKind::receive) return "recv";
  for (const auto& [ours, kineto] : collective_words)
    if (info.name.rfind(ours, 0) == 0) return kineto;
  return info.name;
}

// "0 8 16"
template <class Item, class Number>
std::string numbers(const std::vector<Item>& items, Number number_of) {
  std::string text;
  for (const Item& item : items)
    text += fmt::format("{}{}", text.empty() ? "" : " ", number_of(item));
  return text;
}

// The text of a span that all spans of its instruction share.
struct SharedText {
  std::string head;  // up to the process id
  std::string tail;  // the first arguments
};

SharedText shared_text(const SpanInfo& info, std::size_t index) {
  SharedText text;
  text.head = fmt::format(R"({{"ph":"X","cat":"{}","name":{},"pid":)", category(info.kind),
                          json_string(info.name));
  text.tail = fmt::format(R"(,"args":{{"info":{})", index);
  const auto argument = [&](std::string_view key, std::string_view value) {
    text.tail += fmt::format(R"(,"{}":{})", key, json_string(value));
  };
  if (info.kind == SpanKind::compute) argument("phase", name_of(info.phase));
  if (is_communication(info.kind)) {
    argument("Collective name", collective_name(info));
    argument("Process Group Name", name_of(info.axis));
  }
  if (info.size != Bytes{}) text.tail += ",\"bytes\":" + decimal(info.size);
  if (!info.detail.empty()) argument("detail", info.detail);
  return text;
}

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const Timeline& timeline)
      : text_(out), timeline_(timeline), rows_(timeline) {}

  void write();

 private:
  void write_header();
  void write_tables();
  void write_measurement(const Measurement& measurement);
  void write_recording(const Recording& recording);
  void write_names();
  void write_spans();
  void write_span(std::size_t number, std::int64_t thread, const SharedText& shared);
  void write_causes(const SpanCauses& causes, std::size_t number);
  void write_flow(const Span& span, std::int64_t thread, SpanKind kind);
  void write_host_gaps();
  void write_name(std::string_view what, std::int32_t track, std::int64_t thread,
                  std::string_view argument);
  std::string process_name(const Track& track) const;
  std::string thread_name(const TraceRow& row) const;
  // Opens an element of the current list.
  TraceText& next() {
    text_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return text_;
  }
  void open_list(std::string_view key) {
    text_ << ",\n\"" << key << "\":[";
    first_ = true;
  }

  TraceText text_;
  const Timeline& timeline_;
  TraceRows rows_;
  bool first_ = true;
};

void TraceWriter::write() {
  write_header();
  write_tables();
  if (timeline_.measurement) write_measurement(*timeline_.measurement);
  open_list("traceEvents");
  write_names();
  write_spans();
  write_host_gaps();
  text_ << "\n],\n\"traceName\":" << json_string(timeline_.name) << "}\n";
}

void TraceWriter::write_header() {
  const auto ranks =
      std::accumulate(timeline_.tracks.begin(), timeline_.tracks.end(), std::int64_t{0},
                      [](std::int64_t sum, const Track& track) { return sum + track.ranks; });
  text_ << "{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":0,"
        << "\"deviceProperties\":[],\"distributedInfo\":{\"world_size\":" << ranks << "},\n"
        << "\"quintet\":{\"schema_version\":1,\"name\":" << json_string(timeline_.name)
        << ",\"end\":" << timeline_.end << ",\"cut_ps\":1}";
}

void TraceWriter::write_tables() {
  open_list("quintetLanes");
  for (const std::string& lane : timeline_.lanes)
    next() << "{\"name\":" << json_string(lane) << "}";
  text_ << "]";
  open_list("quintetTracks");
  for (std::size_t i = 0; i < timeline_.tracks.size(); ++i) {
    const Track& track = timeline_.tracks[i];
    next() << "{\"pid\":" << rows_.process(static_cast<std::int32_t>(i))
           << ",\"rank\":" << track.rank.value << ",\"ranks\":" << track.ranks
           << ",\"stage\":" << track.stage << ",\"role\":" << json_string(track.role);
    if (!track.host.empty()) text_ << ",\"host\":" << json_string(track.host);
    text_ << "}";
  }
  text_ << "]";
  open_list("quintetInfos");
  for (const SpanInfo& info : timeline_.infos)
    next() << "{\"name\":" << json_string(info.name)
           << ",\"kind\":" << json_string(name_of(info.kind))
           << ",\"work\":" << json_string(name_of(info.work))
           << ",\"phase\":" << json_string(name_of(info.phase))
           << ",\"axis\":" << json_string(name_of(info.axis)) << ",\"bytes\":" << decimal(info.size)
           << ",\"lane\":" << info.lane << ",\"detail\":" << json_string(info.detail) << "}";
  text_ << "]";
  if (!timeline_.causes) return;
  open_list("quintetGroups");
  for (const std::vector<Rank>& group : timeline_.causes->groups)
    next() << "{\"ranks\":\"" << numbers(group, [](Rank rank) { return rank.value; }) << "\"}";
  text_ << "]";
}

void TraceWriter::write_measurement(const Measurement& measurement) {
  text_ << ",\n\"quintetMeasurement\":{\"step\":" << measurement.step
        << ",\"clock_bound\":" << measurement.clock_bound << "}";
  if (measurement.recording) write_recording(*measurement.recording);
  open_list("quintetSteps");
  for (const StepTime& step : measurement.steps)
    next() << "{\"step\":" << step.step << ",\"time\":" << step.time
           << ",\"processors\":" << step.processors << "}";
  text_ << "]";
  open_list("quintetUnobeyed");
  for (const PlanDeviation& each : measurement.deviations)
    next() << "{\"decision\":" << json_string(each.decision)
           << ",\"asked\":" << json_string(each.asked) << ",\"done\":" << json_string(each.done)
           << "}";
  text_ << "]";
}

void TraceWriter::write_recording(const Recording& recording) {
  text_ << ",\n\"quintetRecording\":{\"by\":" << json_string(recording.by)
        << ",\"instead\":" << json_string(recording.instead)
        << ",\"steps_with\":" << recording.steps_with
        << ",\"steps_without\":" << recording.steps_without << ",\"with\":" << recording.with
        << ",\"without\":" << recording.without << ",\"cost\":" << recording.cost
        << ",\"pieces\":" << recording.pieces << ",\"in_spans\":" << recording.in_spans
        << ",\"lost\":" << recording.lost << "}";
}

std::string TraceWriter::process_name(const Track& track) const {
  const std::string others =
      track.ranks > 1 ? fmt::format(", stands for {} ranks", track.ranks) : "";
  return fmt::format("rank {} (stage {}{})", track.rank.value, track.stage, others);
}

std::string TraceWriter::thread_name(const TraceRow& row) const {
  const auto lane = static_cast<std::size_t>(row.lane);
  const std::string name =
      lane < timeline_.lanes.size() ? timeline_.lanes[lane] : "host (launch late)";
  return row.number == 0 ? name : fmt::format("{} ({})", name, row.number + 1);
}

void TraceWriter::write_name(std::string_view what, std::int32_t track, std::int64_t thread,
                             std::string_view argument) {
  next() << "{\"name\":\"" << what
         << "\",\"ph\":\"M\",\"ts\":0.000000,\"pid\":" << rows_.process(track)
         << ",\"tid\":" << thread << ",\"args\":{" << argument << "}}";
}

void TraceWriter::write_names() {
  for (std::size_t i = 0; i < timeline_.tracks.size(); ++i) {
    const Track& track = timeline_.tracks[i];
    const auto at = static_cast<std::int32_t>(i);
    // Tid 0 as Kineto does: no row has it.
    write_name("process_name", at, 0, "\"name\":" + json_string(process_name(track)));
    write_name("process_labels", at, 0, "\"labels\":" + json_string(track.role));
    write_name("process_sort_index", at, 0, fmt::format(R"("sort_index":{})", i));
  }
  for (std::size_t i = 0; i < rows_.rows().size(); ++i) {
    const TraceRow& row = rows_.rows()[i];
    const std::int64_t thread = rows_.thread_of_row(i);
    write_name("thread_name", row.track, thread, "\"name\":" + json_string(thread_name(row)));
    write_name("thread_sort_index", row.track, thread, fmt::format(R"("sort_index":{})", i));
  }
}

void TraceWriter::write_spans() {
  std::vector<SharedText> shared;
  for (const SpanInfo& info : timeline_.infos) shared.push_back(shared_text(info, shared.size()));
  for (std::size_t i = 0; i < timeline_.spans.size(); ++i) {
    const Span& span = timeline_.spans[i];
    const auto info = static_cast<std::size_t>(span.info);
    write_span(i, rows_.thread_of_span(i), shared[info]);
    if (span.flow >= 0) write_flow(span, rows_.thread_of_span(i), timeline_.infos[info].kind);
  }
}

// Viewers add ts and dur in doubles: without the missing picosecond, slices that touch would seem
// to overlap now and then, and stack instead of following one another. The header says that it is
// missing; a slice of no length, which cannot be shorter, says that it lacks none.
constexpr const char* uncut_argument = ",\"cut ps\":0";
Duration shown(Duration length) {
  return length == Duration{} ? length : length - Duration{1};
}

void TraceWriter::write_span(std::size_t number, std::int64_t thread, const SharedText& shared) {
  const Span& span = timeline_.spans[number];
  next() << shared.head << rows_.process(span.track) << ",\"tid\":" << thread
         << ",\"ts\":" << span.start << ",\"dur\":" << shown(span.end - span.start) << shared.tail;
  if (span.end == span.start) text_ << uncut_argument;
  if (span.moving != span.start) text_ << ",\"waited us\":" << span.moving - span.start;
  if (span.layer != -1) text_ << ",\"layer\":" << span.layer;
  if (span.micro_batch != -1) text_ << ",\"micro_batch\":" << span.micro_batch;
  if (span.chunk != 0) text_ << ",\"chunk\":" << std::int32_t{span.chunk};
  if (span.bucket != -1) text_ << ",\"bucket\":" << std::int32_t{span.bucket};
  if (span.flow != -1) text_ << ",\"flow\":" << span.flow;
  if (!timeline_.cpu.empty()) text_ << ",\"cpu us\":" << timeline_.cpu[number];
  if (!timeline_.notes.empty()) text_ << ",\"note\":" << json_string(timeline_.notes[number]);
  if (timeline_.causes) write_causes(*timeline_.causes, number);
  text_ << "}}";
}

void TraceWriter::write_causes(const SpanCauses& causes, std::size_t number) {
  if (!causes.after[number].empty())
    text_ << ",\"after\":\""
          << numbers(causes.after[number], [](std::int32_t position) { return position; }) << "\"";
  if (causes.group[number] >= 0)
    text_ << ",\"group\":" << causes.group[number] << ",\"use\":" << causes.use[number];
}

// Arrows bind to the slice that encloses their time, so not to its end.
void TraceWriter::write_flow(const Span& span, std::int64_t thread, SpanKind kind) {
  if (kind != SpanKind::send && kind != SpanKind::receive) return;
  next() << (kind == SpanKind::send ? "{\"ph\":\"s\"" : "{\"ph\":\"f\"") << ",\"id\":" << span.flow
         << ",\"pid\":" << rows_.process(span.track) << ",\"tid\":" << thread
         << ",\"ts\":" << (span.moving + Duration{1} < span.end ? span.moving : span.start)
         << ",\"cat\":\"pipeline\",\"name\":\"pipeline\""
         << (kind == SpanKind::send ? "}" : ",\"bp\":\"e\"}");
}

void TraceWriter::write_host_gaps() {
  for (std::size_t i = 0; i < timeline_.host_gaps.size(); ++i) {
    const HostGap& gap = timeline_.host_gaps[i];
    next() << "{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"launch late\",\"pid\":"
           << rows_.process(gap.track) << ",\"tid\":" << rows_.thread_of_gap(i)
           << ",\"ts\":" << gap.start << ",\"dur\":" << shown(gap.end - gap.start)
           << ",\"args\":{\"host_gap\":1" << (gap.end == gap.start ? uncut_argument : "") << "}}";
  }
}

}  // namespace

void write_chrome_trace(std::ostream& out, const Timeline& timeline) {
  TraceWriter(out, timeline).write();
}

}  // namespace quintet
