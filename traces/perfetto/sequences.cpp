#include "traces/perfetto/sequences.h"

#include <limits>

#include "traces/perfetto/perfetto_trace.pb.h"

namespace quintet::perfetto_trace {
namespace {

namespace protos = perfetto::protos;

constexpr std::uint32_t real_time_clock = 1, boot_time_clock = 6, first_of_sequence = 64;
constexpr std::int64_t most = std::int64_t{1} << 61;  // so that sums do not overflow

std::optional<std::int64_t> bounded(std::uint64_t value) {
  return value < static_cast<std::uint64_t>(most) ? std::optional(static_cast<std::int64_t>(value))
                                                  : std::nullopt;
}

template <class Entries>
void intern(Sequence::Texts& texts, const Entries& entries) {
  for (const protos::InternedText& each : entries) texts[each.iid()] = each.name();
}

}  // namespace

std::string_view text_of(const Sequence::Texts& texts, std::uint64_t number) {
  const auto found = texts.find(number);
  return found == texts.end() ? std::string_view() : found->second;
}

Sequence& Sequences::take(const protos::TracePacket& packet) {
  Sequence& sequence = all_[packet.trusted_packet_sequence_id()];
  constexpr std::uint32_t cleared = 1;
  if ((packet.sequence_flags() & cleared) != 0 || packet.incremental_state_cleared())
    sequence = Sequence{};
  if (packet.has_trace_packet_defaults()) {
    const protos::TracePacketDefaults& defaults = packet.trace_packet_defaults();
    sequence.default_track = defaults.track_event_defaults().track_uuid();
    sequence.default_clock = defaults.timestamp_clock_id();
  }
  if (packet.has_interned_data()) {
    const protos::InternedData& data = packet.interned_data();
    intern(sequence.categories, data.event_categories());
    intern(sequence.names, data.event_names());
    intern(sequence.annotation_names, data.debug_annotation_names());
    intern(sequence.annotation_texts, data.debug_annotation_string_values());
  }
  if (packet.has_clock_snapshot()) take_clocks(packet.clock_snapshot(), sequence);
  return sequence;
}

void Sequences::take_clocks(const protos::ClockSnapshot& snapshot, Sequence& sequence) {
  std::optional<std::int64_t> boot;
  for (const auto& clock : snapshot.clocks())
    if (clock.clock_id() == boot_time_clock) boot = bounded(clock.timestamp());
  if (!boot) return;
  for (const auto& clock : snapshot.clocks()) {
    const auto value = bounded(clock.timestamp());
    if (!value) continue;
    if (clock.clock_id() == real_time_clock && !real_time_) real_time_ = *value - *boot;
    if (clock.clock_id() < first_of_sequence)
      ahead_.try_emplace(clock.clock_id(), *value - *boot);
    else
      sequence.clocks[clock.clock_id()] = {
          *boot, clock.timestamp(),
          clock.unit_multiplier_ns() == 0 ? 1 : clock.unit_multiplier_ns(), clock.is_incremental()};
  }
}

std::optional<std::int64_t> Sequences::instant(const protos::TracePacket& packet,
                                               Sequence& sequence) const {
  const std::uint32_t clock =
      packet.has_timestamp_clock_id() ? packet.timestamp_clock_id() : sequence.default_clock;
  if (clock < first_of_sequence) {
    const auto value = bounded(packet.timestamp());
    const auto ahead = ahead_.find(clock);
    if (!value || ahead == ahead_.end()) return value;
    return *value - ahead->second;
  }
  const auto found = sequence.clocks.find(clock);
  if (found == sequence.clocks.end()) return std::nullopt;
  SequenceClock& own = found->second;
  const std::uint64_t steps = own.incremental ? packet.timestamp() : packet.timestamp() - own.value;
  std::int64_t nanoseconds = 0;
  if (steps > static_cast<std::uint64_t>(most) || own.unit > static_cast<std::uint64_t>(most) ||
      __builtin_mul_overflow(static_cast<std::int64_t>(steps), static_cast<std::int64_t>(own.unit),
                             &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, own.nanoseconds, &nanoseconds) || nanoseconds >= most)
    return std::nullopt;
  if (own.incremental) own.nanoseconds = nanoseconds;
  return nanoseconds;
}

}  // namespace quintet::perfetto_trace
