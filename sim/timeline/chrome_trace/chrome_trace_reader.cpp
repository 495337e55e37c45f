#include <fmt/format.h>

#include <charconv>
#include <map>

#include "sim/base/text_file.h"
#include "sim/packing/packing.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/timeline/chrome_trace/trace_records.h"
#include "sim/timeline/trace_reader.h"

namespace quintet {
namespace {

constexpr Bytes largest_trace{2e9};

// Collects a Timeline from records in whatever order they come.
class TimelineReader {
 public:
  explicit TimelineReader(std::string where) : where_(std::move(where)) {}

  void take(TraceRecord& record);
  Result<Timeline> finish();

 private:
  void take_step(TraceRecord& record);
  void take_track(TraceRecord& record);
  void take_info(TraceRecord& record);
  void take_measurement(TraceRecord& record);
  void take_recording(TraceRecord& record);
  void take_measured_step(TraceRecord& record);
  void take_deviation(TraceRecord& record);
  void take_event(TraceRecord& record);
  void take_span(TraceRecord& record);
  void take_cpu(TraceRecord& record);
  void take_note(const TraceRecord& record);
  void take_gap(TraceRecord& record);
  void take_causes(TraceRecord& record);
  std::vector<Rank> ranks_of(TraceRecord& record) const;
  std::optional<Error> check_causes();
  Duration duration_of(TraceRecord& record) const;
  std::optional<Error> resolve();
  Measurement& measurement() {
    if (!timeline_.measurement) timeline_.measurement.emplace();
    return *timeline_.measurement;
  }
  SpanCauses& causes() {
    if (!timeline_.causes) timeline_.causes.emplace();
    return *timeline_.causes;
  }
  std::optional<std::int32_t> track_of(std::int64_t process) const {
    const auto found = tracks_.find(process);
    return found == tracks_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string where_;
  Timeline timeline_;
  std::map<std::int64_t, std::int32_t> tracks_;  // by process id
  std::vector<std::int64_t> span_processes_, gap_processes_;
  bool is_ours_ = false;
  Duration cut_;  // that every slice is too short by, unless it says otherwise
};

template <class Enum>
Enum word(TraceRecord& record, std::string_view key, Enum last) {
  const std::string_view name = record.text(key);
  std::string accepted;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const std::string_view word = name_of(static_cast<Enum>(i));
    if (word == name) return static_cast<Enum>(i);
    accepted += fmt::format("{}{}", i == 0 ? "" : ", ", word);
  }
  record.fail(key, fmt::format("expected one of {}, found \"{}\"", accepted, name));
  return last;
}

// Picoseconds of a trace that is not rubbish stay below 2^62, so that sums cannot overflow.
Instant checked_sum(TraceRecord& record, std::string_view key, Instant start, Duration length) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (length < Duration{}) record.fail(key, "expected 0 or more");
  if (length.picoseconds >= most || start.picoseconds >= most || start.picoseconds <= -most) {
    record.fail(key, "expected a time below 53 days");
    return start;
  }
  return start + length;
}

void TimelineReader::take(TraceRecord& record) {
  if (record.section() == "traceEvents") return take_event(record);
  if (record.section() == "quintetInfos") return take_info(record);
  if (record.section() == "quintetTracks") return take_track(record);
  if (record.section() == "quintetLanes")
    timeline_.lanes.emplace_back(record.text("name"));
  else if (record.section() == "quintetGroups")
    causes().groups.push_back(ranks_of(record));
  else if (record.section() == "quintet")
    take_step(record);
  else if (record.section() == "quintetMeasurement")
    take_measurement(record);
  else if (record.section() == "quintetRecording")
    take_recording(record);
  else if (record.section() == "quintetSteps")
    take_measured_step(record);
  else if (record.section() == "quintetUnobeyed")
    take_deviation(record);
}

void TimelineReader::take_step(TraceRecord& record) {
  const int version = record.integer<int>("schema_version");
  if (version != 1) record.fail("schema_version", fmt::format("expected 1, found {}", version));
  timeline_.name = record.text("name");
  timeline_.end = checked_sum(record, "end", Instant{}, record.microseconds("end"));
  if (record.find("cut_ps", FieldOf::object) != nullptr)
    cut_ = Duration{record.integer<std::int32_t>("cut_ps")};
  is_ours_ = true;
}

// A length of time: no trace holds a negative one.
Duration length(TraceRecord& record, std::string_view key) {
  return checked_sum(record, key, Instant{}, record.microseconds(key)) - Instant{};
}

void TimelineReader::take_measurement(TraceRecord& record) {
  measurement().step = record.integer<int>("step");
  measurement().clock_bound = length(record, "clock_bound");
}

std::int64_t count(TraceRecord& record, std::string_view key) {
  const auto found = record.integer<std::int64_t>(key);
  if (found < 0) record.fail(key, "expected 0 or more");
  return found;
}

void TimelineReader::take_recording(TraceRecord& record) {
  measurement().recording = {.by = std::string(record.text("by")),
                             .instead = std::string(record.text("instead")),
                             .steps_with = record.integer<int>("steps_with"),
                             .steps_without = record.integer<int>("steps_without"),
                             .with = length(record, "with"),
                             .without = length(record, "without"),
                             .cost = length(record, "cost"),
                             .pieces = count(record, "pieces"),
                             .in_spans = count(record, "in_spans"),
                             .lost = count(record, "lost")};
}

void TimelineReader::take_measured_step(TraceRecord& record) {
  const bool known = record.find("processors", FieldOf::object) != nullptr;
  measurement().steps.push_back({record.integer<int>("step"), length(record, "time"),
                                 known ? length(record, "processors") : Duration{}});
}

void TimelineReader::take_deviation(TraceRecord& record) {
  measurement().deviations.push_back({std::string(record.text("decision")),
                                      std::string(record.text("asked")),
                                      std::string(record.text("done"))});
}

void TimelineReader::take_track(TraceRecord& record) {
  const auto process = record.integer<std::int64_t>("pid");
  const auto index = static_cast<std::int32_t>(timeline_.tracks.size());
  if (!tracks_.emplace(process, index).second)
    record.fail("pid", fmt::format("{} is the pid of an earlier track", process));
  timeline_.tracks.push_back(
      {Rank{record.integer<std::int32_t>("rank")}, record.integer<int>("ranks"),
       record.integer<int>("stage"), std::string(record.text("role")),
       record.find("host", FieldOf::object) == nullptr ? std::string()
                                                       : std::string(record.text("host"))});
  if (timeline_.tracks.back().ranks < 1) record.fail("ranks", "expected 1 or more");
}

void TimelineReader::take_info(TraceRecord& record) {
  timeline_.infos.push_back({
      .name = std::string(record.text("name")),
      .kind = word(record, "kind", SpanKind::host),
      .work = word(record, "work", OperatorKind::stage_total),
      .phase = word(record, "phase", Phase::update),
      .axis = word(record, "axis", Axis::pipeline),
      .size = record.bytes("bytes"),
      .lane = record.integer<int>("lane"),
      .detail = std::string(record.text("detail")),
  });
}

void TimelineReader::take_event(TraceRecord& record) {
  const Scalar* phase = record.find("ph", FieldOf::object);
  if (phase == nullptr || phase->text != "X") return;
  if (record.find("info", FieldOf::arguments) != nullptr) return take_span(record);
  if (record.find("host_gap", FieldOf::arguments) != nullptr) return take_gap(record);
}

// The writer leaves out a picosecond and says so: once for all, or of a slice by itself, as it did
// of each before.
Duration TimelineReader::duration_of(TraceRecord& record) const {
  const auto cut = record.argument_or("cut ps", static_cast<std::int32_t>(cut_.picoseconds));
  return record.microseconds("dur") + Duration{cut};
}

void TimelineReader::take_span(TraceRecord& record) {
  Span span;
  span.info = record.integer<std::int32_t>("info", FieldOf::arguments);
  span.start = Instant{} + record.microseconds("ts");
  span.end = checked_sum(record, "dur", span.start, duration_of(record));
  span.moving = checked_sum(record, "args.waited us", span.start,
                            record.microseconds_or("waited us", Duration{}));
  if (span.moving > span.end) record.fail("args.waited us", "expected no more than dur");
  span.layer = record.argument_or("layer", span.layer);
  span.micro_batch = record.argument_or("micro_batch", span.micro_batch);
  span.chunk = record.argument_or("chunk", span.chunk);
  span.bucket = record.argument_or("bucket", span.bucket);
  span.flow = record.argument_or("flow", span.flow);
  span_processes_.push_back(record.integer<std::int64_t>("pid"));
  timeline_.spans.push_back(span);
  take_cpu(record);
  take_note(record);
  take_causes(record);
}

// Numbers with one space between two.
std::optional<std::vector<std::int32_t>> numbers_in(std::string_view text) {
  std::vector<std::int32_t> numbers;
  while (!text.empty()) {
    std::int32_t number = 0;
    const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || number < 0) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
    if (!text.empty() && text.front() != ' ') return std::nullopt;
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

std::vector<Rank> TimelineReader::ranks_of(TraceRecord& record) const {
  const auto numbers = numbers_in(record.text("ranks"));
  std::vector<Rank> ranks;
  if (!numbers)
    record.fail("ranks", "expected numbers with a space between two, such as \"0 8 16\"");
  else
    for (const std::int32_t number : *numbers) ranks.push_back(Rank{number});
  return ranks;
}

// One span that has some gives them to all.
void TimelineReader::take_causes(TraceRecord& record) {
  const Scalar* const after = record.find("after", FieldOf::arguments);
  if (after == nullptr && record.find("group", FieldOf::arguments) == nullptr) return;
  causes().after.resize(timeline_.spans.size());
  causes().group.resize(timeline_.spans.size(), -1);
  causes().use.resize(timeline_.spans.size(), -1);
  causes().group.back() = record.argument_or("group", std::int32_t{-1});
  causes().use.back() = record.argument_or("use", std::int32_t{-1});
  if (after == nullptr) return;
  const auto numbers = numbers_in(after->text);
  if (numbers && after->kind == ScalarKind::text)
    causes().after.back() = *numbers;
  else
    record.fail("args.after", "expected positions with a space between two, such as \"3 7\"");
}

// What a span waits for is on its track.
std::optional<Error> TimelineReader::check_causes() {
  if (!timeline_.causes) return std::nullopt;
  causes().after.resize(timeline_.spans.size());
  causes().group.resize(timeline_.spans.size(), -1);
  causes().use.resize(timeline_.spans.size(), -1);
  std::vector<std::int32_t> on_track(timeline_.tracks.size(), 0);
  for (const Span& span : timeline_.spans) ++on_track[static_cast<std::size_t>(span.track)];
  const auto groups = static_cast<std::int32_t>(causes().groups.size());
  for (std::size_t i = 0; i < timeline_.spans.size(); ++i) {
    const auto bad = [&](const std::string& what) {
      return Error{fmt::format("{}: span {}", where_, i), what};
    };
    const std::int32_t all = on_track[static_cast<std::size_t>(timeline_.spans[i].track)];
    for (const std::int32_t other : causes().after[i])
      if (other >= all)
        return bad(
            fmt::format("args.after {}: its track has {} spans (counted from 0)", other, all));
    if (causes().group[i] < -1 || causes().group[i] >= groups)
      return bad(fmt::format("args.group {}: quintetGroups has {} (counted from 0)",
                             causes().group[i], groups));
  }
  return std::nullopt;
}

// One span that has it gives it to all.
void TimelineReader::take_cpu(TraceRecord& record) {
  if (timeline_.cpu.empty() && record.find("cpu us", FieldOf::arguments) == nullptr) return;
  timeline_.cpu.resize(timeline_.spans.size());
  const Duration cpu = record.microseconds_or("cpu us", Duration{});
  if (cpu < Duration{}) record.fail("args.cpu us", "expected 0 or more");
  timeline_.cpu.back() = cpu;
}

// Likewise.
void TimelineReader::take_note(const TraceRecord& record) {
  const Scalar* const note = record.find("note", FieldOf::arguments);
  const bool is_text = note != nullptr && note->kind == ScalarKind::text;
  if (timeline_.notes.empty() && !is_text) return;
  timeline_.notes.resize(timeline_.spans.size());
  if (is_text) timeline_.notes.back() = note->text;
}

void TimelineReader::take_gap(TraceRecord& record) {
  HostGap gap;
  gap.start = Instant{} + record.microseconds("ts");
  gap.end = checked_sum(record, "dur", gap.start, duration_of(record));
  gap_processes_.push_back(record.integer<std::int64_t>("pid"));
  timeline_.host_gaps.push_back(gap);
}

// What records say about each other: infos by index, tracks by process id, lanes by index.
std::optional<Error> TimelineReader::resolve() {
  const auto bad = [&](std::string_view list, std::size_t index, const std::string& what) {
    return Error{fmt::format("{}: {} {}", where_, list, index), what};
  };
  for (std::size_t i = 0; i < timeline_.infos.size(); ++i)
    if (static_cast<std::size_t>(timeline_.infos[i].lane) >= timeline_.lanes.size())
      return bad("quintetInfos", i,
                 fmt::format("lane {}: quintetLanes has {} (counted from 0)",
                             timeline_.infos[i].lane, timeline_.lanes.size()));
  const auto no_track = [](std::int64_t process) {
    return fmt::format("pid {} is not one of quintetTracks", process);
  };
  for (std::size_t i = 0; i < timeline_.spans.size(); ++i) {
    Span& span = timeline_.spans[i];
    const auto track = track_of(span_processes_[i]);
    if (!track) return bad("span", i, no_track(span_processes_[i]));
    span.track = *track;
    if (static_cast<std::size_t>(span.info) >= timeline_.infos.size())
      return bad("span", i,
                 fmt::format("args.info {}: quintetInfos has {} (counted from 0)", span.info,
                             timeline_.infos.size()));
  }
  for (std::size_t i = 0; i < timeline_.host_gaps.size(); ++i) {
    const auto track = track_of(gap_processes_[i]);
    if (!track) return bad("host gap", i, no_track(gap_processes_[i]));
    timeline_.host_gaps[i].track = *track;
  }
  return check_causes();
}

Result<Timeline> TimelineReader::finish() {
  if (!is_ours_)
    return Error{
        where_,
        "no \"quintet\" object: expected a trace that quintet simulate --trace or quintet run "
        "--timeline wrote; what other tools write is not read"};
  if (const auto error = resolve()) return *error;
  return std::move(timeline_);
}

}  // namespace

Result<Timeline> parse_chrome_trace(const std::string& text, const std::string& where,
                                    const ReadingProgress& progress) {
  TimelineReader reader(where);
  const auto error = read_records(
      text, where, [&reader](TraceRecord& record) { reader.take(record); }, progress);
  if (error) return *error;
  return reader.finish();
}

Result<Timeline> read_chrome_trace(const std::filesystem::path& file,
                                   const ReadingProgress& progress) {
  Result<std::string> text = read_text_file(file, largest_trace);
  if (!text) return text.error();
  const Result<std::string> content = unpacked(std::move(*text), file.string(), largest_trace);
  if (!content) return content.error();
  return parse_chrome_trace(*content, file.string(), progress);
}

namespace {

// Whatever is a JSON object: the reader says what it misses in one of another tool.
bool takes(std::string_view beginning) {
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && beginning[first] == '{';
}

}  // namespace

const TraceReader readers::chrome_trace{
    .name =
        "JSON of Chrome's Trace Event Format that quintet simulate --trace or quintet run "
        "--timeline wrote",
    .takes = takes,
    .read = read_chrome_trace,
};

}  // namespace quintet
