#include "traces/csv/timeline_csv.h"

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/csv.h"
#include "sim/timeline/chrome_trace/trace_text.h"

namespace quintet {
namespace {

constexpr std::string_view head =
    "rank,host,stage,lane,name,kind,phase,axis,bytes,layer,micro_batch,bucket,start_us,moving_us,"
    "end_us\n";

std::string cell(std::string_view text) {
  return csv_cell(std::string(text));
}

// Of instants before the step too; the sign of what is less than a microsecond would be lost.
std::string microseconds(Instant instant) {
  constexpr std::uint64_t picoseconds = 1'000'000;
  const bool before = instant.picoseconds < 0;
  const auto bits = static_cast<std::uint64_t>(instant.picoseconds);
  const std::uint64_t size = before ? 0 - bits : bits;
  return fmt::format("{}{}.{:06}", before ? "-" : "", size / picoseconds, size % picoseconds);
}

std::string number_or_nothing(std::int64_t number) {
  return number < 0 ? std::string() : std::to_string(number);
}

std::string cells_of(const Track& track) {
  return fmt::format("{},{},{},", track.rank.value, cell(track.host), track.stage);
}

std::string cells_of(const SpanInfo& info, const Timeline& timeline) {
  return fmt::format("{},{},{},{},{},{},",
                     cell(timeline.lanes[static_cast<std::size_t>(info.lane)]), cell(info.name),
                     name_of(info.kind),
                     info.kind == SpanKind::compute ? name_of(info.phase) : std::string_view(),
                     is_communication(info.kind) ? name_of(info.axis) : std::string_view(),
                     info.size.value > 0 ? decimal(info.size) : std::string());
}

}  // namespace

void write_timeline_csv(std::ostream& out, const Timeline& timeline) {
  std::vector<std::string> tracks, infos;
  for (const Track& track : timeline.tracks) tracks.push_back(cells_of(track));
  for (const SpanInfo& info : timeline.infos) infos.push_back(cells_of(info, timeline));
  out << head;
  for (const Span& span : timeline.spans)
    out << tracks[static_cast<std::size_t>(span.track)]
        << infos[static_cast<std::size_t>(span.info)]
        << fmt::format("{},{},{},{},{},{}\n", number_or_nothing(span.layer),
                       number_or_nothing(span.micro_batch), number_or_nothing(span.bucket),
                       microseconds(span.start), microseconds(span.moving), microseconds(span.end));
}

}  // namespace quintet
