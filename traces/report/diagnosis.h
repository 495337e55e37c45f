// What costs a recorded step its time, and what to do: what people look for with Holistic Trace
// Analysis or PyTorch's TensorBoard plugin, put in order of what it costs.
//
// A finding's cost is an estimate: the step less what it would have been without it, by the graph
// of what had to happen after what (step_graph.h). Those that can be removed are taken away one by
// one, the one that costs most first, and each costs what is saved beyond those before it, so that
// costs add up:
//   slow ranks       compute as fast as the others that do the same (computing.h)
//   late launches    of one rank: its host gaps are no longer than those of the rank in the middle
//   launch-bound     no rank has host gaps
//   slow network     of a place: exchanges take as long as the same ones elsewhere (slow_places.h)
//   small collectives  merged until latency is a fifth of their time (small_collectives.h)
//   uneven stages    all stages compute as long as their mean
//   uneven computing   all ranks compute as fast as the rank in the middle does each operator
// What the step then still loses is by the rows of its breakdown (breakdown.h), mean over ranks:
//   exposed communication by axis, pipeline bubble, waiting, copies, host work, idle time
// Those that can be removed and cost a tenth of the step or more come first, then all others, both
// in order of cost. What costs less than a hundredth of the step is left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/explain/path/critical_path.h"
#include "sim/timeline/timeline.h"
#include "traces/report/collectives.h"
#include "traces/report/computing.h"
#include "traces/report/launches.h"
#include "traces/report/rank_times.h"
#include "traces/report/slow_places.h"
#include "traces/report/small_collectives.h"
#include "traces/workload/workload.h"

namespace quintet {

enum class FindingKind {
  slow_ranks,
  late_launches,
  launch_bound,
  slow_network,
  small_collectives,
  uneven_stages,
  uneven_computing,
  exposed_communication,
  pipeline_bubble,
  waiting,
  copies,
  host_work,
  idle,
};
std::string_view name_of(FindingKind kind);

// A sentence each in `cause`, `evidence` and `remedy`.
struct Finding {
  FindingKind kind = FindingKind::idle;
  Duration cost;
  std::vector<Rank> ranks;         // where it is; none: everywhere
  std::vector<std::string> hosts;  // likewise; two of a slow network: between them
  std::string group;               // of collectives
  std::string cause, evidence, remedy;
  bool operator==(const Finding&) const = default;
};

// Why the others wait for a rank in collectives.
enum class LateCause { computing, launches, communication, not_known };
std::string_view name_of(LateCause cause);

struct Straggler {
  LastMember late;
  LateCause cause = LateCause::not_known;
  // What the rank takes beyond the others: computing, host gaps, its exchanges.
  Duration computing, gaps, communication;
  bool operator==(const Straggler&) const = default;
};

// All spans of a name on the critical path.
struct PathName {
  std::string name;
  PathKind kind = PathKind::nothing;
  Duration time;
  std::int64_t pieces = 0;
  bool operator==(const PathName&) const = default;
};

struct Diagnosis {
  std::string name;
  Duration step;
  std::vector<Finding> findings;
  std::vector<RankTimes> ranks;  // of Workload::ranks, as all that follow
  RankTimes mean;
  std::vector<RankComputing> computing;
  std::vector<RankLaunches> launches;
  std::vector<GroupCollectives> collectives;
  std::vector<std::string> group_names;  // of Workload::groups
  std::vector<Straggler> stragglers;     // those most waited for first
  std::vector<SlowPlace> slow_places;    // the most time lost first
  std::vector<SmallCollectives> small_collectives;
  Imbalance rank_imbalance, stage_imbalance;
  std::vector<PathShare> path;       // of the critical path, by kind
  std::vector<PathName> path_names;  // and by name, the longest first
  std::vector<std::string> remarks;  // the workload's
};

// The timeline is timeline_of(workload), or that which the workload was made of: tracks are its
// ranks, and the spans of each are the tasks of that rank (spans_of_tasks()).
Diagnosis diagnose(const Timeline& timeline, const Workload& workload);

}  // namespace quintet
