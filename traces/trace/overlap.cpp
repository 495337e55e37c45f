#include "traces/trace/overlap.h"

#include <algorithm>

namespace quintet {
namespace {

struct Interval {
  std::int64_t begin = 0, end = 0;
};

// In order, those that touch or overlap made one.
std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& left, const Interval& right) { return left.begin < right.begin; });
  std::vector<Interval> united;
  for (const Interval& interval : intervals) {
    if (united.empty() || united.back().end < interval.begin)
      united.push_back(interval);
    else
      united.back().end = std::max(united.back().end, interval.end);
  }
  return united;
}

std::vector<Interval> kernels(const RankTrace& trace, bool that_communicate) {
  std::vector<Interval> intervals;
  for (const TraceEvent& event : trace.events)
    if (event.kind == EventKind::kernel && is_communication(trace, event) == that_communicate)
      intervals.push_back({event.start, event.end()});
  return merged(std::move(intervals));
}

}  // namespace

CommunicationOverlap communication_overlap(const RankTrace& trace) {
  const std::vector<Interval> communication = kernels(trace, true), compute = kernels(trace, false);
  CommunicationOverlap overlap;
  for (const Interval& interval : communication)
    overlap.communication += interval.end - interval.begin;
  for (auto left = communication.begin(), right = compute.begin();
       left != communication.end() && right != compute.end();) {
    const std::int64_t common =
        std::min(left->end, right->end) - std::max(left->begin, right->begin);
    overlap.overlapped += std::max<std::int64_t>(0, common);
    if (left->end < right->end)
      ++left;
    else
      ++right;
  }
  overlap.exposed = overlap.communication - overlap.overlapped;
  return overlap;
}

}  // namespace quintet
