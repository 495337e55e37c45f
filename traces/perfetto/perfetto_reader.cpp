#include <utility>

#include "sim/base/shown_text.h"
#include "sim/packing/byte_source.h"
#include "traces/perfetto/annotations.h"
#include "traces/perfetto/by_process.h"
#include "traces/perfetto/packet_stream.h"
#include "traces/perfetto/perfetto.h"
#include "traces/perfetto/perfetto_trace.pb.h"
#include "traces/perfetto/sequences.h"
#include "traces/perfetto/slices.h"
#include "traces/perfetto/tracks.h"

namespace quintet {
namespace {

using namespace perfetto_trace;
namespace protos = perfetto::protos;

class PerfettoReader {
 public:
  explicit PerfettoReader(PacketStream& packets)
      : packets_(packets), all_(packets.where(), "Perfetto") {}

  Result<std::vector<RankTrace>> read() {
    std::string bytes;
    protos::TracePacket packet;
    while (true) {
      const Result<bool> more = packets_.next(bytes);
      if (!more) return more.error();
      if (!*more) return finish();
      if (!packet.ParseFromString(bytes))
        return Error{packets_.place(),
                     "is no packet of a Perfetto trace: its fields do not fill it; record or copy "
                     "the trace again"};
      take(packet);
      if (slices_.all().size() > most)
        return Error{packets_.where(), "has more than two thousand million slices"};
    }
  }

 private:
  static constexpr std::size_t most = 2'000'000'000;  // so that 32 bits count them

  void take(const protos::TracePacket& packet) {
    Sequence& sequence = sequences_.take(packet);
    if (packet.has_track_descriptor()) tracks_.take(packet.track_descriptor());
    if (packet.has_compressed_packets())
      all_.leave_out("compressed packets (traceconv decompress_packets unpacks them)");
    if (packet.has_track_event()) return take_event(packet, sequence);
    const bool known = packet.has_track_descriptor() || packet.has_interned_data() ||
                       packet.has_clock_snapshot() || packet.has_trace_packet_defaults() ||
                       packet.has_compressed_packets() || packet.has_sequence_flags();
    if (!known) all_.leave_out("packets of other kinds");
  }

  void take_event(const protos::TracePacket& packet, Sequence& sequence) {
    const protos::TrackEvent& event = packet.track_event();
    const auto time = sequences_.instant(packet, sequence);
    if (!time) return all_.leave_out("events by a clock that is not explained, or too late");
    const std::int32_t track =
        tracks_.of(event.has_track_uuid() ? event.track_uuid() : sequence.default_track);
    switch (event.type()) {
      case protos::TrackEvent::TYPE_SLICE_BEGIN:
        return begin(event, sequence, track, *time);
      case protos::TrackEvent::TYPE_SLICE_END:
        return slices_.end(track, *time);
      case protos::TrackEvent::TYPE_INSTANT:
        return all_.leave_out("instants");
      case protos::TrackEvent::TYPE_COUNTER:
        return all_.leave_out("values of counters");
      case protos::TrackEvent::TYPE_UNSPECIFIED:
        return all_.leave_out("events of no known type");
    }
  }

  void begin(const protos::TrackEvent& event, const Sequence& sequence, std::int32_t track,
             std::int64_t time) {
    TraceEvent made{.start = time};
    const std::string_view name = event.has_name() ? std::string_view(event.name())
                                                   : text_of(sequence.names, event.name_iid());
    describe({.category = category_of(event, sequence),
              .name = name,
              .on_stream = tracks_.is_stream(track)},
             Annotations(event, sequence), all_, made);
    slices_.begin(track, made);
    for (const std::uint64_t flow : event.flow_ids()) slices_.flow(flow);
    for (const std::uint64_t flow : event.flow_ids_old()) slices_.flow(flow);
    for (const std::uint64_t flow : event.terminating_flow_ids()) slices_.flow(flow);
  }

  static std::string_view category_of(const protos::TrackEvent& event, const Sequence& sequence) {
    if (event.categories_size() > 0) return event.categories(0);
    return event.category_iids_size() > 0 ? text_of(sequence.categories, event.category_iids(0))
                                          : std::string_view();
  }

  Result<std::vector<RankTrace>> finish() {
    slices_.nest();
    all_.leave_out("ends of slices that did not begin", slices_.ends_without_beginning());
    std::int64_t open = 0;
    for (const Slice& slice : slices_.all()) open += slice.ended ? 0 : 1;
    all_.leave_out("slices that do not end", open);
    all_.trace().zero_nanoseconds = sequences_.real_time();
    std::vector<RankTrace> traces = by_process(all_, slices_, tracks_);
    if (!traces.empty()) return traces;
    return Error{packets_.where(),
                 "holds no slice of a track; expected events of TrackEvent that begin and end"};
  }

  PacketStream& packets_;
  TraceDraft all_;
  Sequences sequences_;
  Tracks tracks_;
  Slices slices_;
};

}  // namespace

bool is_perfetto(std::string_view beginning) {
  return are_packets(beginning);
}

Result<std::vector<RankTrace>> read_perfetto(const std::filesystem::path& file,
                                             const ReadingProgress& progress) {
  Result<ByteSource> source = ByteSource::open(file);
  if (!source) return source.error();
  PacketStream packets(file.string(), [&](std::span<char> into) {
    if (progress) progress(source->taken(), source->size());
    return source->read(into);
  });
  return PerfettoReader(packets).read();
}

Result<std::vector<RankTrace>> parse_perfetto(std::string_view bytes, const std::string& where) {
  PacketStream packets(where, [&](std::span<char> into) -> Result<std::size_t> {
    const std::size_t count = bytes.copy(into.data(), into.size());
    bytes.remove_prefix(count);
    return count;
  });
  return PerfettoReader(packets).read();
}

}  // namespace quintet
