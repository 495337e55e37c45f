#include "traces/report/rank_times.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/explain/mean_parts.h"
#include "sim/explain/shown_times.h"
#include "sim/explain/step_claims.h"

namespace quintet {

namespace {

Duration taken(Claims& claims, Untaken& untaken) {
  Duration total;
  untaken.take(claims, [&](const Claim&, Interval time) { total += length(time); });
  return total;
}

void set_idle(RankTimes& times, const RankClaims& of, Interval step) {
  RankClaims claims = of;
  Untaken untaken(step);
  apply_rules(claims, untaken, [&](Rule rule, const Claim&, Interval time) {
    if (rule == Rule::gap) times.launch_gaps += length(time);
  });
  for (const Interval& gap : untaken.gaps())
    if (length(gap) < kernel_wait_below) times.kernel_wait += length(gap);
  times.host_work = times.breakdown.host - times.launch_gaps;
  // What is drained (breakdown.h, rule 9) is not idle.
  times.kernel_wait = std::min(times.kernel_wait, times.breakdown.idle);
  times.unexplained = times.breakdown.idle - times.kernel_wait;
}

void set_overlap(RankTimes& times, const RankClaims& of, Interval step) {
  Claims moving = of.moving, compute = of.compute;
  moving.insert(moving.end(), of.sending.begin(), of.sending.end());
  Untaken all(step), not_computing(step);
  times.communicating = taken(moving, all);
  taken(compute, not_computing);
  times.hidden = times.communicating - taken(moving, not_computing);
}

Imbalance imbalance(const std::vector<std::pair<std::int32_t, Duration>>& computing) {
  Imbalance made;
  RankTime total = 0;
  for (const auto& [at, time] : computing) {
    total += time.picoseconds;
    if (made.at < 0 || time > made.most) made = {{}, time, at};
  }
  if (!computing.empty()) made.mean = nearest(total, static_cast<RankTime>(computing.size()));
  return made;
}

}  // namespace

Duration RankTimes::exposed() const {
  return std::accumulate(breakdown.exposed.begin(), breakdown.exposed.end(), Duration{});
}

double RankTimes::overlap() const {
  return share_of(hidden, communicating);
}

double Imbalance::ratio() const {
  return mean == Duration{} ? 1 : share_of(most, mean);
}

std::vector<RankTimes> rank_times(const Timeline& timeline) {
  const std::vector<RankBreakdown> all = breakdowns(timeline);
  const TrackRanges ranges(timeline);
  const Interval step{Instant{}, timeline.end};
  std::vector<RankTimes> ranks;
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    RankTimes times{.breakdown = all[track]};
    const RankClaims claims = ranges.claims(track);
    set_idle(times, claims, step);
    set_overlap(times, claims, step);
    ranks.push_back(std::move(times));
  }
  return ranks;
}

RankTimes mean(const std::vector<RankTimes>& ranks) {
  if (ranks.empty()) return {};
  std::vector<RankBreakdown> all;
  RankTime weight = 0;
  for (const RankTimes& each : ranks) {
    all.push_back(each.breakdown);
    weight += each.breakdown.ranks;
  }
  const auto of = [&](Duration RankTimes::*part) {
    RankTime total = 0;
    for (const RankTimes& each : ranks) total += rank_time(each.*part, each.breakdown.ranks);
    return nearest(total, weight);
  };
  RankTimes made{.breakdown = mean(all)};
  made.launch_gaps = std::min(of(&RankTimes::launch_gaps), made.breakdown.host);
  made.host_work = made.breakdown.host - made.launch_gaps;
  made.kernel_wait = std::min(of(&RankTimes::kernel_wait), made.breakdown.idle);
  made.unexplained = made.breakdown.idle - made.kernel_wait;
  made.communicating = of(&RankTimes::communicating);
  made.hidden = of(&RankTimes::hidden);
  return made;
}

Imbalance imbalance_of_ranks(const std::vector<RankTimes>& ranks) {
  std::vector<std::pair<std::int32_t, Duration>> computing;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    computing.push_back({static_cast<std::int32_t>(rank), ranks[rank].breakdown.compute});
  return imbalance(computing);
}

Imbalance imbalance_of_stages(const std::vector<RankTimes>& ranks) {
  std::map<int, std::vector<RankBreakdown>> stages;
  for (const RankTimes& each : ranks) stages[each.breakdown.stage].push_back(each.breakdown);
  if (stages.size() < 2) return {};
  std::vector<std::pair<std::int32_t, Duration>> computing;
  for (const auto& [stage, of] : stages) computing.push_back({stage, mean(of).compute});
  return imbalance(computing);
}

}  // namespace quintet
