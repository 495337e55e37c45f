#include "traces/workload/job_clock.h"

#include <algorithm>
#include <map>
#include <utility>

namespace quintet {

namespace {

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<std::optional<std::int64_t>> clock_corrections(
    std::size_t traces, const std::vector<std::vector<MeetingEnd>>& meetings) {
  // From one trace to another: how much the first one's ends are ahead.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int64_t>> apart;
  for (const std::vector<MeetingEnd>& meeting : meetings)
    for (std::size_t i = 1; i < meeting.size(); ++i) {
      const MeetingEnd &first = meeting.front(), &other = meeting[i];
      apart[{first.trace, other.trace}].push_back(first.end - other.end);
      apart[{other.trace, first.trace}].push_back(other.end - first.end);
    }
  std::vector<std::optional<std::int64_t>> corrections(traces);
  for (std::size_t root = 0; root < traces; ++root) {
    if (corrections[root]) continue;
    corrections[root] = 0;
    std::vector<std::int32_t> reached{static_cast<std::int32_t>(root)};
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::int32_t from = reached[next];
      for (auto found = apart.lower_bound({from, 0});
           found != apart.end() && found->first.first == from; ++found) {
        const auto to = static_cast<std::size_t>(found->first.second);
        if (corrections[to]) continue;
        corrections[to] = *corrections[static_cast<std::size_t>(from)] + median(found->second);
        reached.push_back(found->first.second);
      }
    }
  }
  return corrections;
}

}  // namespace quintet
