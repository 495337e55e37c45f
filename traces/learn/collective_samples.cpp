#include "traces/learn/collective_samples.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "traces/replay/recorded_times.h"

namespace quintet {

namespace {

int hosts_of(const Workload& workload, const RecordedMeeting& meeting) {
  std::set<std::string> hosts;
  for (const RecordedMeeting::Member& member : meeting.members)
    hosts.insert(workload.ranks[static_cast<std::size_t>(member.rank)].host);
  return static_cast<int>(hosts.size());
}

// Why nothing is learnt of it; empty: something is.
std::string refused(const Workload& workload, const RecordedMeeting& meeting) {
  const WorkloadGroup& group = workload.groups[static_cast<std::size_t>(meeting.group)];
  if (meeting.members.size() < std::max<std::size_t>(2, group.members.size()))
    return "collectives of which the traces of some ranks are not here";
  if (meeting.size.value <= 0) return "collectives of unknown size";
  if (meeting.work <= Duration{}) return "collectives that some rank left before the last came";
  return {};
}

}  // namespace

RecordedCollectives collective_samples(const Workload& workload) {
  RecordedCollectives found;
  std::map<std::string, std::int64_t> left_out;
  if (!workload.recorded) return found;
  for (const RecordedMeeting& meeting : recorded_times(workload).meetings) {
    if (meeting.kind != SpanKind::collective) continue;
    if (const std::string why = refused(workload, meeting); !why.empty()) {
      ++left_out[why];
      continue;
    }
    found.collectives.push_back({meeting.collective, static_cast<int>(meeting.members.size()),
                                 hosts_of(workload, meeting), meeting.size, seconds(meeting.work)});
  }
  for (const auto& [what, count] : left_out) found.left_out.push_back({what, count});
  return found;
}

}  // namespace quintet
