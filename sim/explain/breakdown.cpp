#include "sim/explain/breakdown.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sim/explain/mean_parts.h"
#include "sim/explain/stage_activity.h"
#include "sim/explain/step_claims.h"

namespace quintet {
namespace {

constexpr std::size_t kinds_of_work = static_cast<std::size_t>(OperatorKind::stage_total) + 1;
constexpr std::size_t phases = static_cast<std::size_t>(Phase::update) + 1;

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

Duration time_moving(Claims& claims, Interval of) {
  Duration total;
  Untaken(of).take(claims, [&](const Claim&, Interval time) { total += length(time); });
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

RankBreakdown breakdown_of(const Track& track, RankClaims& claims, Interval of,
                           const StageActivity& stages) {
  RankBreakdown rank{.rank = track.rank, .ranks = track.ranks, .stage = track.stage};
  rank.step = length(of);
  Untaken untaken(of);
  OperatorTimes operators;
  apply_rules(claims, untaken, [&](Rule rule, const Claim& claim, Interval time) {
    row_of(rank, rule, claim) += length(time);
    if (rule == Rule::compute) operators.add(*claim.info, length(time));
  });
  rank.operators = operators.list();
  take_rest(rank, untaken, claims.pipeline_work, stages);
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    rank.total_communication[axis] = time_moving(claims.moving_by_axis[axis], of);
  return rank;
}

// The scalar rows of the sum beside operators and axes.
constexpr Duration RankBreakdown::*scalar_rows[] = {&RankBreakdown::bubble, &RankBreakdown::waiting,
                                                    &RankBreakdown::copy, &RankBreakdown::host,
                                                    &RankBreakdown::idle};

// Adds so many times a part of the same rank's step: its operators are among the whole's.
void add(RankBreakdown& whole, const RankBreakdown& part, int times) {
  const auto more = [times](Duration& row, Duration by) {
    row += Duration{times * by.picoseconds};
  };
  more(whole.step, part.step);
  more(whole.compute, part.compute);
  for (const OperatorTime& its : part.operators)
    for (OperatorTime& row : whole.operators)
      if (row.work == its.work && row.phase == its.phase) more(row.time, its.time);
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    more(whole.exposed[axis], part.exposed[axis]);
    more(whole.total_communication[axis], part.total_communication[axis]);
  }
  for (const auto row : scalar_rows) more(whole.*row, part.*row);
}

template <class Row>
RankTime total(const std::vector<RankBreakdown>& breakdowns, Row row) {
  RankTime sum = 0;
  for (const RankBreakdown& rank : breakdowns) sum += rank_time(row(rank), rank.ranks);
  return sum;
}

std::map<std::pair<OperatorKind, Phase>, RankTime> operator_totals(
    const std::vector<RankBreakdown>& breakdowns) {
  std::map<std::pair<OperatorKind, Phase>, RankTime> totals;
  for (const RankBreakdown& rank : breakdowns)
    for (const OperatorTime& time : rank.operators)
      totals[{time.work, time.phase}] += rank_time(time.time, rank.ranks);
  return totals;
}

}  // namespace

Duration sum(const RankBreakdown& breakdown) {
  const Duration exposed =
      std::accumulate(breakdown.exposed.begin(), breakdown.exposed.end(), Duration{});
  return breakdown.compute + exposed + breakdown.bubble + breakdown.waiting + breakdown.copy +
         breakdown.host + breakdown.idle;
}

std::vector<RankBreakdown> breakdowns(const Timeline& timeline, const RepeatedPart& repeated) {
  const StageActivity stages(timeline);
  const TrackRanges ranges(timeline);
  std::vector<RankBreakdown> ranks;
  ranks.reserve(timeline.tracks.size());
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    RankClaims claims = ranges.claims(track);
    const auto of = [&](Interval time) {
      return breakdown_of(timeline.tracks[track], claims, time, stages);
    };
    ranks.push_back(of({Instant{}, timeline.end}));
    if (repeated.times > 0) add(ranks.back(), of({repeated.from, repeated.to}), repeated.times);
  }
  return ranks;
}

std::vector<SpanShare> span_shares(const Timeline& timeline) {
  std::vector<SpanShare> shares(timeline.spans.size());
  const TrackRanges ranges(timeline);
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    RankClaims claims = ranges.claims(track);
    Untaken untaken({Instant{}, timeline.end});
    apply_rules(claims, untaken, [&shares](Rule rule, const Claim& claim, Interval time) {
      if (rule == Rule::gap) return;
      SpanShare& share = shares[static_cast<std::size_t>(claim.span)];
      const bool waits = rule == Rule::waiting || rule == Rule::starved;
      (waits ? share.waiting : share.active) += length(time);
    });
  }
  return shares;
}

RankBreakdown mean(const std::vector<RankBreakdown>& breakdowns) {
  if (breakdowns.empty()) return {};
  RankBreakdown mean{.ranks = 0, .stage = breakdowns.front().stage};
  for (const RankBreakdown& rank : breakdowns) {
    mean.ranks += rank.ranks;
    if (rank.stage != mean.stage) mean.stage = -1;
  }
  const RankTime ranks = mean.ranks;
  mean.step = nearest(total(breakdowns, [](const auto& rank) { return rank.step; }), ranks);

  std::vector<RankTime> totals;
  std::vector<Duration*> parts;
  const auto add = [&](RankTime sum, Duration& part) {
    totals.push_back(sum);
    parts.push_back(&part);
  };
  const auto operators = operator_totals(breakdowns);
  mean.operators.reserve(operators.size());  // parts point into it
  for (const auto& [which, time] : operators) {
    mean.operators.push_back({which.first, which.second, {}});
    add(time, mean.operators.back().time);
  }
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    add(total(breakdowns, [=](const auto& rank) { return rank.exposed[axis]; }),
        mean.exposed[axis]);
  for (const auto row : scalar_rows)
    add(total(breakdowns, [=](const auto& rank) { return rank.*row; }), mean.*row);
  const std::vector<Duration> rounded = mean_parts(totals, ranks, mean.step);
  for (std::size_t i = 0; i < parts.size(); ++i) *parts[i] = rounded[i];

  std::erase_if(mean.operators, [](const OperatorTime& time) { return time.time == Duration{}; });
  for (const OperatorTime& time : mean.operators) mean.compute += time.time;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    mean.total_communication[axis] = std::max(
        mean.exposed[axis],
        nearest(total(breakdowns, [=](const auto& rank) { return rank.total_communication[axis]; }),
                ranks));
  return mean;
}

}  // namespace quintet
