#include "traces/report/computing.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/base/quantile.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

bool computes(const Timeline& timeline, const Span& span) {
  return timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::compute;
}

const std::string& name_at(const Timeline& timeline, const Span& span) {
  return timeline.infos[static_cast<std::size_t>(span.info)].name;
}

// Tasks of one name on one rank.
struct TasksOfRank {
  std::int32_t rank = 0;
  int stage = 0;
  std::vector<Duration> times;
  Duration total;
};

Duration expected_of(const TasksOfRank& own, const std::vector<TasksOfRank>& all) {
  std::vector<Duration> totals, medians;
  for (const TasksOfRank& each : all) {
    medians.push_back(lower_median(each.times));
    if (each.stage == own.stage && each.times.size() == own.times.size())
      totals.push_back(each.total);
  }
  if (totals.size() > 1) return lower_median(std::move(totals));
  const std::int64_t more = (lower_median(own.times) - lower_median(medians)).picoseconds;
  return {own.total.picoseconds - more * static_cast<std::int64_t>(own.times.size())};
}

using TasksByName = std::map<std::string, std::vector<TasksOfRank>>;

TasksByName tasks_by_name(const Timeline& timeline) {
  TasksByName names;
  std::vector<std::vector<TasksOfRank>*> of_info;
  for (const SpanInfo& info : timeline.infos)
    of_info.push_back(info.kind == SpanKind::compute ? &names[info.name] : nullptr);
  for (const Span& span : timeline.spans) {
    std::vector<TasksOfRank>* const of = of_info[static_cast<std::size_t>(span.info)];
    if (of == nullptr) continue;
    if (of->empty() || of->back().rank != span.track)
      of->push_back(
          {span.track, timeline.tracks[static_cast<std::size_t>(span.track)].stage, {}, {}});
    of->back().times.push_back(span.end - span.start);
    of->back().total += span.end - span.start;
  }
  return names;
}

void set_ran(const Timeline& timeline, std::vector<RankComputing>& ranks) {
  if (timeline.cpu.size() != timeline.spans.size()) return;
  std::vector<Duration> ran(ranks.size());
  for (std::size_t i = 0; i < timeline.spans.size(); ++i)
    if (computes(timeline, timeline.spans[i]))
      ran[static_cast<std::size_t>(timeline.spans[i].track)] += timeline.cpu[i];
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].time > Duration{}) ranks[rank].ran = share_of(ran[rank], ranks[rank].time);
}

void set_slowness(std::vector<RankComputing>& ranks) {
  std::vector<double> all;
  for (RankComputing& rank : ranks) {
    rank.slowness = rank.expected > Duration{} ? share_of(rank.time, rank.expected) : 1;
    all.push_back(rank.slowness);
  }
  if (all.empty()) return;
  const double middle = std::max(1.0, lower_median(all));
  for (RankComputing& rank : ranks) rank.slowness /= middle;
}

// Of the names that take longer than expected.
std::map<std::string, double> factors_of(const RankComputing& rank) {
  std::map<std::string, double> factors;
  for (const NamedComputing& each : rank.names)
    if (each.expected < each.time)
      factors[each.name] = std::max(0.0, seconds(each.expected).value / seconds(each.time).value);
  return factors;
}

}  // namespace

std::vector<RankComputing> rank_computing(const Timeline& timeline) {
  std::vector<RankComputing> ranks(timeline.tracks.size());
  for (const auto& [name, all] : tasks_by_name(timeline))
    for (const TasksOfRank& own : all) {
      RankComputing& rank = ranks[static_cast<std::size_t>(own.rank)];
      const Duration expected = expected_of(own, all);
      rank.names.push_back(
          {name, static_cast<std::int64_t>(own.times.size()), own.total, expected});
      rank.time += own.total;
      rank.expected += expected;
    }
  for (RankComputing& rank : ranks)
    std::stable_sort(rank.names.begin(), rank.names.end(),
                     [](const NamedComputing& one, const NamedComputing& other) {
                       return one.time - one.expected > other.time - other.expected;
                     });
  set_slowness(ranks);
  set_ran(timeline, ranks);
  return ranks;
}

Change as_expected(const Timeline& timeline, const std::vector<RankComputing>& computing,
                   const std::vector<std::int32_t>& ranks) {
  const std::set<std::int32_t> chosen(ranks.begin(), ranks.end());
  Change change;
  std::int32_t last = -1;
  std::map<std::string, double> factors;  // of the rank of the last span
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    const Span& span = timeline.spans[i];
    if (!computes(timeline, span) || !chosen.contains(span.track)) continue;
    if (span.track != last)
      factors = factors_of(computing[static_cast<std::size_t>(last = span.track)]);
    const auto factor = factors.find(name_at(timeline, span));
    if (factor != factors.end())
      change.spans.push_back({static_cast<std::int32_t>(i), factor->second});
  }
  return change;
}

Change as_even_stages(const Timeline& timeline) {
  std::map<int, std::pair<double, int>> stages;  // sum of computing, ranks
  for (const Track& track : timeline.tracks) ++stages[track.stage].second;
  if (stages.size() < 2) return {};
  for (const Span& span : timeline.spans)
    if (computes(timeline, span))
      stages[timeline.tracks[static_cast<std::size_t>(span.track)].stage].first +=
          seconds(span.end - span.start).value;
  double mean = 0;
  for (const auto& [stage, of] : stages)
    mean += of.first / of.second / static_cast<double>(stages.size());
  Change change;
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    const Span& span = timeline.spans[i];
    if (!computes(timeline, span)) continue;
    const auto& [sum, ranks] = stages[timeline.tracks[static_cast<std::size_t>(span.track)].stage];
    if (sum > 0) change.spans.push_back({static_cast<std::int32_t>(i), mean * ranks / sum});
  }
  return change;
}

}  // namespace quintet
