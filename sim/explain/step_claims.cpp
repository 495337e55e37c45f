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

template <class Item>
std::vector<std::size_t> begins_by_track(const std::vector<Item>& items, std::size_t tracks) {
  std::vector<std::size_t> begins(tracks + 1, 0);
  for (const Item& item : items) {
    assert(static_cast<std::size_t>(item.track) < tracks);
    ++begins[static_cast<std::size_t>(item.track) + 1];
  }
  for (std::size_t track = 0; track < tracks; ++track) begins[track + 1] += begins[track];
  return begins;
}

}  // namespace

TrackRanges::TrackRanges(const Timeline& timeline)
    : timeline_(timeline),
      spans_(begins_by_track(timeline.spans, timeline.tracks.size())),
      gaps_(begins_by_track(timeline.host_gaps, timeline.tracks.size())) {}

RankClaims TrackRanges::claims(std::size_t track) const {
  RankClaims claims;
  for (std::size_t i = spans_[track]; i < spans_[track + 1]; ++i) {
    const Span& span = timeline_.spans[i];
    assert(static_cast<std::size_t>(span.track) == track);
    assert(static_cast<std::size_t>(span.info) < timeline_.infos.size());
    const SpanInfo& info = timeline_.infos[static_cast<std::size_t>(span.info)];
    add(claims, Subject{span, info, static_cast<std::int64_t>(i)}, timeline_.end);
  }
  for (std::size_t i = gaps_[track]; i < gaps_[track + 1]; ++i) {
    const HostGap& gap = timeline_.host_gaps[i];
    const Interval time = clipped({gap.start, gap.end}, timeline_.end);
    if (time.begin < time.end) claims.gaps.push_back({time, nullptr, -1});
  }
  return claims;
}

}  // namespace quintet
