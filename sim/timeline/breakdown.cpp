#include "sim/timeline/breakdown.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "sim/timeline/stage_activity.h"

namespace quintet {
namespace {

constexpr std::size_t kinds_of_work = static_cast<std::size_t>(OperatorKind::stage_total) + 1;
constexpr std::size_t phases = static_cast<std::size_t>(Phase::update) + 1;

struct Claim {
  Interval time;
  const SpanInfo* info = nullptr;  // none: a host gap
  std::int64_t span = -1;          // likewise
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

enum class Rule { compute, gap, moving, waiting, starved, sending, copy, host };

// Rules 1 to 8, in their order: `taken(rule, claim, time)` hears of every piece.
template <class Taken>
void apply_rules(RankClaims& claims, Untaken& untaken, Taken taken) {
  const std::array<std::pair<Rule, Claims*>, 8> order{{{Rule::compute, &claims.compute},
                                                       {Rule::gap, &claims.gaps},
                                                       {Rule::moving, &claims.moving},
                                                       {Rule::waiting, &claims.waiting},
                                                       {Rule::starved, &claims.starved},
                                                       {Rule::sending, &claims.sending},
                                                       {Rule::copy, &claims.copy},
                                                       {Rule::host, &claims.host}}};
  for (const auto& [rule, ruled] : order)
    untaken.take(*ruled, [&taken, rule = rule](const Claim& claim, Duration time) {
      taken(rule, claim, time);
    });
}

class OperatorTimes {
 public:
  void add(const SpanInfo& info, Duration time) {
    times_[static_cast<std::size_t>(info.work)][static_cast<std::size_t>(info.phase)] += time;
  }
  std::vector<OperatorTime> list() const {
    std::vector<OperatorTime> all;
    for (std::size_t kind = 0; kind < kinds_of_work; ++kind)
      for (std::size_t phase = 0; phase < phases; ++phase)
        if (times_[kind][phase] != Duration{})
          all.push_back(
              {static_cast<OperatorKind>(kind), static_cast<Phase>(phase), times_[kind][phase]});
    return all;
  }

 private:
  std::array<std::array<Duration, phases>, kinds_of_work> times_{};
};

Duration& row_of(RankBreakdown& rank, Rule rule, const Claim& claim) {
  switch (rule) {
    case Rule::compute:
      return rank.compute;
    case Rule::moving:
    case Rule::sending:
      return rank.exposed[static_cast<std::size_t>(claim.info->axis)];
    case Rule::waiting:
      return rank.waiting;
    case Rule::starved:
      return rank.bubble;
    case Rule::copy:
      return rank.copy;
    case Rule::gap:
    case Rule::host:
      break;
  }
  return rank.host;
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
  Untaken untaken(end);
  OperatorTimes operators;
  apply_rules(claims, untaken, [&](Rule rule, const Claim& claim, Duration time) {
    row_of(rank, rule, claim) += time;
    if (rule == Rule::compute) operators.add(*claim.info, time);
  });
  rank.operators = operators.list();
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

std::vector<SpanShare> span_shares(const Timeline& timeline) {
  std::vector<SpanShare> shares(timeline.spans.size());
  for (RankClaims& claims : claims_by_track(timeline)) {
    Untaken untaken(timeline.end);
    apply_rules(claims, untaken, [&shares](Rule rule, const Claim& claim, Duration time) {
      if (rule == Rule::gap) return;
      SpanShare& share = shares[static_cast<std::size_t>(claim.span)];
      const bool waits = rule == Rule::waiting || rule == Rule::starved;
      (waits ? share.waiting : share.active) += time;
    });
  }
  return shares;
}

}  // namespace quintet
