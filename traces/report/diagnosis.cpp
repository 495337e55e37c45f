#include "traces/report/diagnosis.h"

#include <algorithm>
#include <map>

#include "sim/base/quantile.h"
#include "traces/report/finding_text.h"
#include "traces/report/what_ifs.h"

namespace quintet {

namespace {

// Costs below this share of the step are no findings; causes that can be removed come first from
// this share on.
constexpr std::int64_t least_part = 100, first_part = 10;

std::vector<PathName> names_of_path(const Timeline& timeline, const std::vector<PathPiece>& path) {
  std::map<std::string, PathName> by_name;
  for (const PathPiece& piece : path) {
    if (piece.span < 0) continue;
    const Span& span = timeline.spans[static_cast<std::size_t>(piece.span)];
    const std::string& name = timeline.infos[static_cast<std::size_t>(span.info)].name;
    PathName& sum = by_name.try_emplace(name, PathName{name, piece.kind, {}, 0}).first->second;
    sum.time += piece.to - piece.from;
    ++sum.pieces;
  }
  std::vector<PathName> names;
  for (auto& [name, sum] : by_name) names.push_back(std::move(sum));
  std::stable_sort(names.begin(), names.end(), [](const PathName& one, const PathName& other) {
    return one.time > other.time;
  });
  return names;
}

Duration excess_at(const Diagnosis& diagnosis, std::int32_t rank) {
  for (const SlowPlace& place : diagnosis.slow_places)
    if (std::find(place.ranks.begin(), place.ranks.end(), rank) != place.ranks.end())
      return place.time - place.expected;
  return {};
}

Straggler straggler_of(const Diagnosis& diagnosis, const LastMember& late) {
  const auto rank = static_cast<std::size_t>(late.rank);
  std::vector<Duration> gaps;
  for (const RankLaunches& each : diagnosis.launches) gaps.push_back(each.gaps);
  Straggler made{.late = late};
  made.computing = diagnosis.computing[rank].time - diagnosis.computing[rank].expected;
  made.gaps = gaps[rank] - lower_median(gaps);
  made.communication = excess_at(diagnosis, late.rank);
  const Duration most = std::max({made.computing, made.gaps, made.communication});
  // What is less than a fifth of what others waited does not explain it.
  if (5 * most.picoseconds < late.waited.picoseconds) return made;
  made.cause = most == made.computing ? LateCause::computing
               : most == made.gaps    ? LateCause::launches
                                      : LateCause::communication;
  return made;
}

void sort_findings(std::vector<Finding>& findings, std::size_t removable, Duration step) {
  const auto rest = findings.begin() + static_cast<std::ptrdiff_t>(removable);
  const auto dearer = [](const Finding& one, const Finding& other) {
    return one.cost > other.cost;
  };
  std::stable_sort(findings.begin(), rest, dearer);
  const auto first = std::find_if(findings.begin(), rest, [&](const Finding& finding) {
    return finding.cost.picoseconds * first_part < step.picoseconds;
  });
  std::stable_sort(first, findings.end(), dearer);
}

void find(const Timeline& timeline, const StepGraph& graph, Diagnosis& diagnosis) {
  const Duration least{std::max<std::int64_t>(1, diagnosis.step.picoseconds / least_part)};
  const Removal removal = remove_causes(timeline, graph, diagnosis, least);
  for (const Removed& removed : removal.removed)
    diagnosis.findings.push_back(finding_of(removed, diagnosis, timeline));
  const std::size_t removable = diagnosis.findings.size();
  const RankTimes rest = mean(rank_times(retimed(graph, timeline, removal.changes)));
  for (Finding& finding : findings_of_rest(rest, diagnosis, least))
    diagnosis.findings.push_back(std::move(finding));
  sort_findings(diagnosis.findings, removable, diagnosis.step);
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::slow_ranks:
      return "slow ranks";
    case FindingKind::late_launches:
      return "late launches";
    case FindingKind::launch_bound:
      return "launch-bound";
    case FindingKind::slow_network:
      return "slow network";
    case FindingKind::small_collectives:
      return "small collectives";
    case FindingKind::uneven_stages:
      return "uneven stages";
    case FindingKind::uneven_computing:
      return "uneven computing";
    case FindingKind::exposed_communication:
      return "exposed communication";
    case FindingKind::pipeline_bubble:
      return "pipeline bubble";
    case FindingKind::waiting:
      return "waiting";
    case FindingKind::copies:
      return "copies";
    case FindingKind::host_work:
      return "host work";
    case FindingKind::idle:
      return "idle";
  }
  return "";
}

std::string_view name_of(LateCause cause) {
  switch (cause) {
    case LateCause::computing:
      return "computing";
    case LateCause::launches:
      return "launches";
    case LateCause::communication:
      return "communication";
    case LateCause::not_known:
      return "not known";
  }
  return "";
}

Diagnosis diagnose(const Timeline& timeline, const Workload& workload) {
  const std::vector<Exchange> all = exchanges(timeline, workload);
  const StepGraph graph = step_graph(timeline, workload, all);
  Diagnosis made{.name = timeline.name, .step = timeline.end - Instant{}};
  made.ranks = rank_times(timeline);
  made.mean = mean(made.ranks);
  made.computing = rank_computing(timeline);
  made.launches = rank_launches(timeline);
  made.collectives = group_collectives(timeline, workload, all);
  for (const WorkloadGroup& group : workload.groups) made.group_names.push_back(group.name);
  made.slow_places = slow_places(timeline, workload, all);
  made.small_collectives = small_collectives(timeline, all, made.collectives, graph);
  for (const LastMember& late : last_members(made.collectives))
    made.stragglers.push_back(straggler_of(made, late));
  made.rank_imbalance = imbalance_of_ranks(made.ranks);
  made.stage_imbalance = imbalance_of_stages(made.ranks);
  const std::vector<PathPiece> path = recorded_path(graph, timeline);
  made.path = path_shares(timeline, path);
  made.path_names = names_of_path(timeline, path);
  for (const WorkloadRemark& remark : workload.remarks) made.remarks.push_back(remark.text);
  find(timeline, graph, made);
  return made;
}

}  // namespace quintet
