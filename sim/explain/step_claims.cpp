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

template <class Item>
TrackRanges::Ranges TrackRanges::ranges_of(const std::vector<Item>& items, std::size_t tracks) {
  const auto track_of = [](const Item& item) { return static_cast<std::size_t>(item.track); };
  Ranges ranges{std::vector<std::size_t>(tracks + 1, 0), {}};
  bool in_order = true;
  std::size_t last = 0;
  for (const Item& item : items) {
    assert(track_of(item) < tracks);
    ++ranges.begins[track_of(item) + 1];
    in_order &= track_of(item) >= last;
    last = track_of(item);
  }
  for (std::size_t track = 0; track < tracks; ++track)
    ranges.begins[track + 1] += ranges.begins[track];
  if (in_order) return ranges;
  std::vector<std::size_t> next = ranges.begins;
  ranges.order.resize(items.size());
  for (std::size_t number = 0; number < items.size(); ++number)
    ranges.order[next[track_of(items[number])]++] = number;
  return ranges;
}

template <class Each>
void TrackRanges::visit(const Ranges& ranges, std::size_t track, Each each) {
  for (std::size_t i = ranges.begins[track]; i < ranges.begins[track + 1]; ++i)
    each(ranges.order.empty() ? i : ranges.order[i]);
}

TrackRanges::TrackRanges(const Timeline& timeline)
    : timeline_(timeline),
      spans_(ranges_of(timeline.spans, timeline.tracks.size())),
      gaps_(ranges_of(timeline.host_gaps, timeline.tracks.size())) {}

RankClaims TrackRanges::claims(std::size_t track) const {
  RankClaims claims;
  claims.compute.reserve(spans_.begins[track + 1] - spans_.begins[track]);  // most of them are
  visit(spans_, track, [&](std::size_t i) {
    const Span& span = timeline_.spans[i];
    assert(static_cast<std::size_t>(span.info) < timeline_.infos.size());
    const SpanInfo& info = timeline_.infos[static_cast<std::size_t>(span.info)];
    add(claims, Subject{span, info, static_cast<std::int64_t>(i)}, timeline_.end);
  });
  visit(gaps_, track, [&](std::size_t i) {
    const HostGap& gap = timeline_.host_gaps[i];
    const Interval time = clipped({gap.start, gap.end}, timeline_.end);
    if (time.begin < time.end) claims.gaps.push_back({time, nullptr, -1});
  });
  return claims;
}

}  // namespace quintet
