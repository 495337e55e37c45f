#include "sim/api/shown_timeline.h"

#include <string_view>

namespace quintet::api {
namespace {

std::string_view work_of(const SpanInfo& info) {
  if (info.kind == SpanKind::compute) return name_of(info.work);
  return is_communication(info.kind) ? name_of(info.axis) : std::string_view();
}

Instruction shown_instruction(const SpanInfo& info, const std::vector<std::string>& lanes) {
  const auto lane = static_cast<std::size_t>(info.lane);
  return {info.name,
          std::string(name_of(info.kind)),
          std::string(work_of(info)),
          lane < lanes.size() ? lanes[lane] : "",
          info.size.value,
          info.detail};
}

Span shown_span(const quintet::Span& span) {
  return {span.info,
          span.track,
          span.start.picoseconds,
          span.moving.picoseconds,
          span.end.picoseconds,
          span.layer,
          span.micro_batch,
          span.chunk,
          span.bucket,
          span.flow};
}

}  // namespace

Timeline shown_timeline(const quintet::Timeline& timeline) {
  Timeline shown;
  shown.name = timeline.name;
  for (const SpanInfo& info : timeline.infos)
    shown.instructions.push_back(shown_instruction(info, timeline.lanes));
  for (const quintet::Track& track : timeline.tracks)
    shown.tracks.push_back({static_cast<std::int32_t>(track.rank.value), track.ranks, track.stage,
                            track.role, track.host});
  shown.spans.reserve(timeline.spans.size());
  for (const quintet::Span& span : timeline.spans) shown.spans.push_back(shown_span(span));
  shown.step_ps = timeline.end.picoseconds;
  shown.measured = timeline.measurement.has_value();
  return shown;
}

}  // namespace quintet::api
