#include "traces/workload/launch_gaps.h"

#include <algorithm>

namespace quintet {

namespace {

class GapSearch {
 public:
  GapSearch(const Workload& workload, std::int32_t number)
      : workload_(workload),
        rank_(workload.ranks[static_cast<std::size_t>(number)]),
        number_(number) {}

  std::vector<HostGap> find() const {
    std::vector<std::size_t> device;
    for (std::size_t task = 0; task < rank_.tasks.size(); ++task)
      if (!on_thread(task)) device.push_back(task);
    std::stable_sort(device.begin(), device.end(), [this](std::size_t one, std::size_t other) {
      return rank_.tasks[one].start < rank_.tasks[other].start;
    });
    std::vector<HostGap> gaps;
    Instant busy_until;
    for (const std::size_t task : device) {
      const Instant launched = std::min(launched_at(task), rank_.tasks[task].start);
      if (launched > busy_until) gaps.push_back({number_, busy_until, launched});
      busy_until = std::max(busy_until, rank_.tasks[task].end);
    }
    return gaps;
  }

 private:
  bool on_thread(std::size_t task) const {
    const SpanInfo& info = workload_.infos[static_cast<std::size_t>(rank_.tasks[task].info)];
    return workload_.lanes[static_cast<std::size_t>(info.lane)].kind == LaneKind::host;
  }

  // 0: not told.
  Instant launched_at(std::size_t task) const {
    Instant launched;
    for (const std::int32_t other : rank_.after_of(task))
      if (on_thread(static_cast<std::size_t>(other)))
        launched = std::max(launched, rank_.tasks[static_cast<std::size_t>(other)].end);
    return launched;
  }

  const Workload& workload_;
  const WorkloadRank& rank_;
  std::int32_t number_;
};

}  // namespace

std::vector<HostGap> launch_gaps(const Workload& workload, std::int32_t rank) {
  return GapSearch(workload, rank).find();
}

}  // namespace quintet
