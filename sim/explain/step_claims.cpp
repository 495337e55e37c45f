#include "sim/explain/step_claims.h"

#include <cassert>

namespace quintet {
namespace {

Interval clipped(Interval interval, Instant end) {
  const auto inside = [end](Instant instant) { return std::clamp(instant, Instant{}, end); };
  return {inside(interval.begin), inside(interval.end)};
}

// One span of a timeline.
struct Subject {
  const Span& span;
  const SpanInfo& info;
  std::int64_t number = 0;
};

void add(Claims& claims, Interval time, const Subject& subject) {
  if (time.begin < time.end) claims.push_back({time, &subject.info, subject.number});
}

void add_communication(RankClaims& claims, const Subject& subject, Instant end) {
  const auto& [span, info, number] = subject;
  const Interval moving = clipped({span.moving, span.end}, end);
  add(claims.moving_by_axis[static_cast<std::size_t>(info.axis)], moving, subject);
  add(info.kind == SpanKind::send ? claims.sending : claims.moving, moving, subject);
  const bool starved = info.kind != SpanKind::send && info.axis == Axis::pipeline;
  add(starved ? claims.starved : claims.waiting, clipped({span.start, span.moving}, end), subject);
}

void add_compute(RankClaims& claims, const Subject& subject, Instant end) {
  const auto& [span, info, number] = subject;
  add(claims.compute, clipped({span.start, span.end}, end), subject);
  if (info.phase == Phase::update) return;
  claims.pipeline_work.begin = std::min(claims.pipeline_work.begin, span.start);
  claims.pipeline_work.end = std::max(claims.pipeline_work.end, span.end);
}

void add(RankClaims& claims, const Subject& subject, Instant end) {
  const Interval whole = clipped({subject.span.start, subject.span.end}, end);
  switch (subject.info.kind) {
    case SpanKind::compute:
      return add_compute(claims, subject, end);
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return add_communication(claims, subject, end);
    case SpanKind::copy:
      return add(claims.copy, whole, subject);
    case SpanKind::host:
      return add(claims.host, whole, subject);
  }
}

}  // namespace

std::vector<RankClaims> claims_by_track(const Timeline& timeline) {
  std::vector<RankClaims> claims(timeline.tracks.size());
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    const Span& span = timeline.spans[i];
    assert(static_cast<std::size_t>(span.track) < claims.size());
    assert(static_cast<std::size_t>(span.info) < timeline.infos.size());
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    add(claims[static_cast<std::size_t>(span.track)],
        Subject{span, info, static_cast<std::int64_t>(i)}, timeline.end);
  }
  for (const HostGap& gap : timeline.host_gaps) {
    const Interval time = clipped({gap.start, gap.end}, timeline.end);
    if (time.begin < time.end)
      claims[static_cast<std::size_t>(gap.track)].gaps.push_back({time, nullptr, -1});
  }
  return claims;
}

}  // namespace quintet
