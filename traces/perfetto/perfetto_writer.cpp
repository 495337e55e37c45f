#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "sim/timeline/chrome_trace/trace_rows.h"
#include "traces/perfetto/drawn.h"
#include "traces/perfetto/perfetto.h"
#include "traces/perfetto/perfetto_trace.pb.h"

namespace quintet {
namespace {

namespace protos = perfetto::protos;

constexpr std::uint32_t sequence = 1, cleared = 1, needed = 2;
constexpr std::int64_t picoseconds = 1000;  // in a nanosecond

// Perfetto's instants are not negative: where something starts before the step, all are later by so
// many nanoseconds, which a clock snapshot tells.
std::int64_t delay_of(const Drawn& drawn) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    first = std::min(first, drawn.start_of(i).picoseconds);
  return -(first / picoseconds) + (first % picoseconds == 0 ? 0 : 1);
}

// Names of annotations, each interned under its place and one.
enum class Note {
  kind,
  phase,
  axis,
  collective,
  group,
  bytes,
  detail,
  layer,
  micro_batch,
  chunk,
  bucket,
  waited,
  cpu,
  note,
  start,
  end
};
constexpr std::array<std::string_view, 16> note_names{
    "kind",     "phase",       "axis",  "Collective name", "Process Group Name", "bytes",  "detail",
    "layer",    "micro_batch", "chunk", "bucket",          "waited ps",          "cpu ps", "note",
    "start ps", "end ps"};

std::uint64_t number(Note note) {
  return static_cast<std::uint64_t>(note) + 1;
}

// Kineto's, as in the Chrome trace.
enum class Category { kernel, gpu_memcpy, cpu_op, overhead };
constexpr std::array<std::string_view, 4> category_names{"kernel", "gpu_memcpy", "cpu_op",
                                                         "overhead"};
Category category_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return Category::kernel;
    case SpanKind::copy:
      return Category::gpu_memcpy;
    case SpanKind::host:
      return Category::cpu_op;
  }
  return Category::cpu_op;
}

// Ours begin with the collective's name: "all-reduce attention". PyTorch's words, as in the Chrome
// trace.
std::string_view collective_word(const SpanInfo& info) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> words{
      {{"all-reduce", "allreduce"},
       {"reduce-scatter", "_reduce_scatter_base"},
       {"all-gather", "_allgather_base"},
       {"all-to-all", "all_to_all"},
       {"broadcast", "broadcast"},
       {"reduce", "reduce"}}};
  if (info.kind == SpanKind::send) return "send";
  if (info.kind == SpanKind::receive) return "recv";
  for (const auto& [ours, theirs] : words)
    if (info.name.starts_with(ours)) return theirs;
  return info.name;
}

class PerfettoWriter {
 public:
  PerfettoWriter(std::ostream& out, const Timeline& timeline)
      : out_(out),
        timeline_(timeline),
        rows_(timeline),
        drawn_(timeline, rows_),
        delay_(delay_of(drawn_)) {}

  void write() {
    if (delay_ > 0) write_clocks();
    write_names();
    for (std::size_t i = 0; i < timeline_.tracks.size(); ++i) write_process(i);
    for (std::size_t i = 0; i < rows_.rows().size(); ++i) write_thread(i);
    for (const DrawnEdge& edge : drawn_.edges()) write_edge(edge);
  }

 private:
  void put(protos::TracePacket& packet) {
    packet.set_trusted_packet_sequence_id(sequence);
    packet.SerializeToString(&bytes_);
    std::string head(1, '\x0A');
    std::size_t length = bytes_.size();
    for (; length >= 0x80; length >>= 7) head += static_cast<char>(length | 0x80);
    head += static_cast<char>(length);
    out_ << head << bytes_;
  }

  // Rounded down.
  std::uint64_t nanoseconds(Instant instant) const {
    const std::int64_t whole = instant.picoseconds / picoseconds;
    const std::int64_t down = instant.picoseconds % picoseconds < 0 ? 1 : 0;
    return static_cast<std::uint64_t>(whole - down + delay_);
  }

  // The step began at real time 0, when so much was on the trace's clock.
  void write_clocks() {
    protos::TracePacket packet;
    constexpr std::uint32_t real_time = 1, boot_time = 6;
    for (const auto& [id, time] :
         {std::pair(boot_time, delay_), std::pair(real_time, std::int64_t{0})}) {
      auto& clock = *packet.mutable_clock_snapshot()->add_clocks();
      clock.set_clock_id(id);
      clock.set_timestamp(static_cast<std::uint64_t>(time));
    }
    put(packet);
  }

  void write_names() {
    protos::TracePacket packet;
    packet.set_sequence_flags(cleared);
    protos::InternedData& data = *packet.mutable_interned_data();
    const auto intern = [](protos::InternedText& text, std::size_t at, std::string_view name) {
      text.set_iid(at + 1);
      text.set_name(std::string(name));
    };
    for (std::size_t i = 0; i < note_names.size(); ++i)
      intern(*data.add_debug_annotation_names(), i, note_names[i]);
    for (std::size_t i = 0; i < category_names.size(); ++i)
      intern(*data.add_event_categories(), i, category_names[i]);
    for (std::size_t i = 0; i < timeline_.infos.size(); ++i)
      intern(*data.add_event_names(), i, timeline_.infos[i].name);
    intern(*data.add_event_names(), timeline_.infos.size(), "launch late");
    put(packet);
  }

  // Perfetto keeps process 0 for the idle thread of Linux.
  std::int32_t process_id(std::int32_t track) const {
    return static_cast<std::int32_t>(rows_.process(track) + 1);
  }
  static std::uint64_t uuid_of_process(std::size_t track) { return track + 1; }
  std::uint64_t uuid_of_row(std::size_t row) const { return timeline_.tracks.size() + row + 1; }

  void write_process(std::size_t number) {
    const Track& track = timeline_.tracks[number];
    protos::TracePacket packet;
    protos::TrackDescriptor& described = *packet.mutable_track_descriptor();
    described.set_uuid(uuid_of_process(number));
    described.set_description(track.host.empty() ? track.role : track.role + ", " + track.host);
    described.mutable_process()->set_pid(process_id(static_cast<std::int32_t>(number)));
    const std::string others =
        track.ranks > 1 ? fmt::format(", stands for {} ranks", track.ranks) : "";
    described.mutable_process()->set_process_name(
        fmt::format("rank {} (stage {}{})", track.rank.value, track.stage, others));
    put(packet);
  }

  void write_thread(std::size_t number) {
    const TraceRow& row = rows_.rows()[number];
    const auto lane = static_cast<std::size_t>(row.lane);
    const std::string name =
        lane < timeline_.lanes.size() ? timeline_.lanes[lane] : "host (launch late)";
    protos::TracePacket packet;
    protos::TrackDescriptor& described = *packet.mutable_track_descriptor();
    described.set_uuid(uuid_of_row(number));
    described.set_parent_uuid(uuid_of_process(static_cast<std::size_t>(row.track)));
    described.mutable_thread()->set_pid(process_id(row.track));
    // Above all processes', one of which a main thread would have.
    described.mutable_thread()->set_tid(rows_.thread_of_row(number) + 1);
    described.mutable_thread()->set_thread_name(
        row.number == 0 ? name : fmt::format("{} ({})", name, row.number + 1));
    put(packet);
  }

  void write_edge(const DrawnEdge& edge) {
    packet_.Clear();
    packet_.set_timestamp(nanoseconds(edge.time));
    packet_.set_sequence_flags(needed);
    event_ = packet_.mutable_track_event();
    event_->set_track_uuid(uuid_of_row(drawn_.row_of(edge.what)));
    event_->set_type(edge.begins ? protos::TrackEvent::TYPE_SLICE_BEGIN
                                 : protos::TrackEvent::TYPE_SLICE_END);
    if (edge.begins) drawn_.is_span(edge.what) ? describe_span(edge.what) : describe_gap(edge.what);
    put(packet_);
  }

  void note(Note name, std::int64_t value) {
    protos::DebugAnnotation& made = *event_->add_debug_annotations();
    made.set_name_iid(number(name));
    made.set_int_value(value);
  }
  void note(Note name, std::string_view value) {
    protos::DebugAnnotation& made = *event_->add_debug_annotations();
    made.set_name_iid(number(name));
    made.set_string_value(std::string(value));
  }
  void set_category(Category category) {
    event_->add_category_iids(static_cast<std::uint64_t>(category) + 1);
  }

  void describe_gap(std::size_t what) {
    event_->set_name_iid(timeline_.infos.size() + 1);
    set_category(Category::overhead);
    note(Note::start, drawn_.start_of(what).picoseconds);
    note(Note::end, drawn_.end_of(what).picoseconds);
  }

  void describe_span(std::size_t what) {
    const Span& span = timeline_.spans[what];
    const SpanInfo& info = timeline_.infos[static_cast<std::size_t>(span.info)];
    event_->set_name_iid(static_cast<std::uint64_t>(span.info) + 1);
    set_category(category_of(info.kind));
    describe_info(info);
    note(Note::start, span.start.picoseconds);
    note(Note::end, span.end.picoseconds);
    if (span.moving != span.start) note(Note::waited, (span.moving - span.start).picoseconds);
    if (span.layer != -1) note(Note::layer, span.layer);
    if (span.micro_batch != -1) note(Note::micro_batch, span.micro_batch);
    if (span.chunk != 0) note(Note::chunk, std::int64_t{span.chunk});
    if (span.bucket != -1) note(Note::bucket, std::int64_t{span.bucket});
    if (!timeline_.cpu.empty()) note(Note::cpu, timeline_.cpu[what].picoseconds);
    if (!timeline_.notes.empty()) note(Note::note, timeline_.notes[what]);
    if (span.flow < 0) return;
    const auto flow = static_cast<std::uint64_t>(span.flow) + 1;
    if (info.kind == SpanKind::send) event_->add_flow_ids(flow);
    if (info.kind == SpanKind::receive) event_->add_terminating_flow_ids(flow);
  }

  void describe_info(const SpanInfo& info) {
    note(Note::kind, name_of(info.kind));
    if (info.kind == SpanKind::compute) note(Note::phase, name_of(info.phase));
    if (is_communication(info.kind)) {
      note(Note::axis, name_of(info.axis));
      note(Note::collective, collective_word(info));
      note(Note::group, name_of(info.axis));
    }
    if (info.size.value > 0 && info.size.value < 0x1p62)
      note(Note::bytes, static_cast<std::int64_t>(info.size.value));
    if (!info.detail.empty()) note(Note::detail, info.detail);
  }

  std::ostream& out_;
  const Timeline& timeline_;
  TraceRows rows_;
  Drawn drawn_;
  std::int64_t delay_;
  protos::TracePacket packet_;
  protos::TrackEvent* event_ = nullptr;  // of packet_
  std::string bytes_;
};

}  // namespace

void write_perfetto(std::ostream& out, const Timeline& timeline) {
  PerfettoWriter(out, timeline).write();
}

}  // namespace quintet
