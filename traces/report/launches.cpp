#include "traces/report/launches.h"

#include <algorithm>
#include <map>

#include "sim/explain/stage_activity.h"

namespace quintet {

namespace {

std::vector<std::vector<Interval>> gaps_by_rank(const Timeline& timeline) {
  std::vector<std::vector<Interval>> gaps(timeline.tracks.size());
  for (const HostGap& gap : timeline.host_gaps)
    gaps[static_cast<std::size_t>(gap.track)].push_back({gap.start, gap.end});
  for (std::vector<Interval>& of : gaps) {
    std::sort(of.begin(), of.end(),
              [](const Interval& one, const Interval& other) { return one.begin < other.begin; });
    std::vector<Interval> joined;
    for (const Interval& gap : of)
      if (!joined.empty() && gap.begin < joined.back().end)
        joined.back().end = std::max(joined.back().end, gap.end);
      else
        joined.push_back(gap);
    of = std::move(joined);
  }
  return gaps;
}

}  // namespace

std::vector<RankLaunches> rank_launches(const Timeline& timeline) {
  std::vector<RankLaunches> ranks(timeline.tracks.size());
  std::vector<Duration> computing(ranks.size());
  std::vector<IntervalSet> within(ranks.size());
  std::vector<std::map<std::int32_t, Duration>> threads(ranks.size());  // by info
  const std::vector<std::vector<Interval>> gaps = gaps_by_rank(timeline);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Interval& gap : gaps[rank]) {
      within[rank].append(gap);
      ranks[rank].gaps += length(gap);
      ranks[rank].longest = std::max(ranks[rank].longest, length(gap));
      ++ranks[rank].count;
    }
  for (const Span& span : timeline.spans) {
    const auto rank = static_cast<std::size_t>(span.track);
    const SpanKind kind = timeline.infos[static_cast<std::size_t>(span.info)].kind;
    if (kind == SpanKind::host)
      threads[rank][span.info] += within[rank].within({span.start, span.end});
    if (kind != SpanKind::compute) continue;
    ++ranks[rank].kernels;
    computing[rank] += span.end - span.start;
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankLaunches& made = ranks[rank];
    if (made.kernels > 0) made.mean_kernel = {computing[rank].picoseconds / made.kernels};
    for (const auto& [info, time] : threads[rank])
      if (time > made.meanwhile_time) {
        made.meanwhile = timeline.infos[static_cast<std::size_t>(info)].name;
        made.meanwhile_time = time;
      }
  }
  return ranks;
}

Change with_gaps(const std::vector<std::int32_t>& ranks, double left) {
  Change change;
  for (const std::int32_t rank : ranks) change.gaps.push_back({rank, left});
  return change;
}

}  // namespace quintet
