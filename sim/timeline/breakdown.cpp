#include "sim/timeline/breakdown.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "sim/timeline/stage_activity.h"

namespace quintet {
namespace {

constexpr std::size_t kinds_of_work = static_cast<std::size_t>(OperatorKind::stage_total) + 1;
constexpr std::size_t phases = static_cast<std::size_t>(Phase::update) + 1;

struct Claim {
  Interval time;
  const SpanInfo* info = nullptr;  // none: a host gap
};
using Claims = std::vector<Claim>;

// What one track asks for, by the rules of the header.
struct RankClaims {
  Claims compute, gaps, moving, waiting, starved, sending, copy, host;
  std::array<Claims, axis_count> moving_by_axis;
  Interval pipeline_work{{INT64_MAX}, {INT64_MIN}};  // first forward to last backward
};

Interval clipped(Interval interval, Instant end) {
  const auto inside = [end](Instant instant) { return std::clamp(instant, Instant{}, end); };
  return {inside(interval.begin), inside(interval.end)};
}

void add(Claims& claims, Interval time, const SpanInfo* info) {
  if (time.begin < time.end) claims.push_back({time, info});
}

void add_communication(RankClaims& claims, const Span& span, const SpanInfo& info, Instant end) {
  const Interval moving = clipped({span.moving, span.end}, end);
  add(claims.moving_by_axis[static_cast<std::size_t>(info.axis)], moving, &info);
  add(info.kind == SpanKind::send ? claims.sending : claims.moving, moving, &info);
  const bool starved = info.kind != SpanKind::send && info.axis == Axis::pipeline;
  add(starved ? claims.starved : claims.waiting, clipped({span.start, span.moving}, end), &info);
}

void add_compute(RankClaims& claims, const Span& span, const SpanInfo& info, Instant end) {
  add(claims.compute, clipped({span.start, span.end}, end), &info);
  if (info.phase == Phase::update) return;
  claims.pipeline_work.begin = std::min(claims.pipeline_work.begin, span.start);
  claims.pipeline_work.end = std::max(claims.pipeline_work.end, span.end);
}

void add(RankClaims& claims, const Span& span, const SpanInfo& info, Instant end) {
  switch (info.kind) {
    case SpanKind::compute:
      return add_compute(claims, span, info, end);
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return add_communication(claims, span, info, end);
    case SpanKind::copy:
      return add(claims.copy, clipped({span.start, span.end}, end), &info);
    case SpanKind::host:
      return add(claims.host, clipped({span.start, span.end}, end), &info);
  }
}

std::vector<RankClaims> claims_by_track(const Timeline& timeline) {
  std::vector<RankClaims> claims(timeline.tracks.size());
  for (const Span& span : timeline.spans) {
    assert(static_cast<std::size_t>(span.track) < claims.size());
    assert(static_cast<std::size_t>(span.info) < timeline.infos.size());
    add(claims[static_cast<std::size_t>(span.track)], span,
        timeline.infos[static_cast<std::size_t>(span.info)], timeline.end);
  }
  for (const HostGap& gap : timeline.host_gaps)
    add(claims[static_cast<std::size_t>(gap.track)].gaps,
        clipped({gap.start, gap.end}, timeline.end), nullptr);
  return claims;
}

// The parts of a step that no rule has taken yet, in order of time.
class Untaken {
 public:
  explicit Untaken(Instant end) : gaps_{{Instant{}, end}} {}

  const std::vector<Interval>& gaps() const { return gaps_; }

  // Gives each free instant to the claim that began first, and tells `taken` about every piece.
  template <class Taken>
  void take(Claims& claims, Taken taken) {
    const auto earlier = [](const Claim& left, const Claim& right) {
      return left.time.begin < right.time.begin;
    };
    if (!std::is_sorted(claims.begin(), claims.end(), earlier))
      std::stable_sort(claims.begin(), claims.end(), earlier);
    std::vector<Interval> left;
    auto claim = claims.cbegin();
    for (const Interval& gap : gaps_) take_from(gap, claim, claims.cend(), left, taken);
    gaps_ = std::move(left);
  }

 private:
  template <class Taken>
  static void take_from(Interval gap, Claims::const_iterator& claim, Claims::const_iterator last,
                        std::vector<Interval>& left, Taken taken) {
    while (gap.begin < gap.end) {
      while (claim != last && claim->time.end <= gap.begin) ++claim;
      const Instant begin = claim == last ? gap.end : std::min(claim->time.begin, gap.end);
      if (begin > gap.begin) left.push_back({gap.begin, begin});
      gap.begin = std::max(gap.begin, begin);
      if (gap.begin == gap.end) return;
      const Instant end = std::min(claim->time.end, gap.end);
      taken(*claim, end - gap.begin);
      gap.begin = end;
    }
  }

  std::vector<Interval> gaps_;
};

void take_compute(RankBreakdown& rank, Untaken& untaken, Claims& claims) {
  std::array<std::array<Duration, phases>, kinds_of_work> times{};
  untaken.take(claims, [&](const Claim& claim, Duration time) {
    times[static_cast<std::size_t>(claim.info->work)]
         [static_cast<std::size_t>(claim.info->phase)] += time;
    rank.compute += time;
  });
  for (std::size_t kind = 0; kind < kinds_of_work; ++kind)
    for (std::size_t phase = 0; phase < phases; ++phase)
      if (times[kind][phase] != Duration{})
        rank.operators.push_back(
            {static_cast<OperatorKind>(kind), static_cast<Phase>(phase), times[kind][phase]});
}

Duration time_moving(Claims& claims, Instant end) {
  Duration total;
  Untaken(end).take(claims, [&](const Claim&, Duration time) { total += time; });
  return total;
}

// Rules 9 and 10.
void take_rest(RankBreakdown& rank, const Untaken& untaken, Interval pipeline_work,
               const StageActivity& stages) {
  for (const Interval& gap : untaken.gaps()) {
    Duration drained;
    if (stages.is_pipeline()) {
      // Without any forward or backward the whole step counts as before the first one.
      const Instant first = std::min(gap.end, pipeline_work.begin);
      const Instant last = std::max(gap.begin, std::max(pipeline_work.end, first));
      drained = stages.of_others(rank.stage, {gap.begin, first}) +
                stages.of_others(rank.stage, {last, gap.end});
    }
    rank.bubble += drained;
    rank.idle += gap.end - gap.begin - drained;
  }
}

RankBreakdown breakdown_of(const Track& track, RankClaims& claims, Instant end,
                           const StageActivity& stages) {
  RankBreakdown rank{.rank = track.rank, .ranks = track.ranks, .stage = track.stage};
  rank.step = end - Instant{};
  const auto into = [](Duration& row) {
    return [&row](const Claim&, Duration time) { row += time; };
  };
  const auto exposed = [&rank](const Claim& claim, Duration time) {
    rank.exposed[static_cast<std::size_t>(claim.info->axis)] += time;
  };
  Untaken untaken(end);
  take_compute(rank, untaken, claims.compute);
  untaken.take(claims.gaps, into(rank.host));
  untaken.take(claims.moving, exposed);
  untaken.take(claims.waiting, into(rank.waiting));
  untaken.take(claims.starved, into(rank.bubble));
  untaken.take(claims.sending, exposed);
  untaken.take(claims.copy, into(rank.copy));
  untaken.take(claims.host, into(rank.host));
  take_rest(rank, untaken, claims.pipeline_work, stages);
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    rank.total_communication[axis] = time_moving(claims.moving_by_axis[axis], end);
  return rank;
}

}  // namespace

Duration sum(const RankBreakdown& breakdown) {
  const Duration exposed =
      std::accumulate(breakdown.exposed.begin(), breakdown.exposed.end(), Duration{});
  return breakdown.compute + exposed + breakdown.bubble + breakdown.waiting + breakdown.copy +
         breakdown.host + breakdown.idle;
}

std::vector<RankBreakdown> breakdowns(const Timeline& timeline) {
  const StageActivity stages(timeline);
  std::vector<RankClaims> claims = claims_by_track(timeline);
  std::vector<RankBreakdown> ranks;
  ranks.reserve(claims.size());
  for (std::size_t track = 0; track < claims.size(); ++track)
    ranks.push_back(breakdown_of(timeline.tracks[track], claims[track], timeline.end, stages));
  return ranks;
}

}  // namespace quintet
