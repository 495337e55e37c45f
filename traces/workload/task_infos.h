// What recorded events are called and show in a timeline: one SpanInfo for all that are alike.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/timeline/timeline.h"
#include "traces/trace/rank_trace.h"
#include "traces/workload/job_groups.h"

namespace quintet {

SpanKind span_kind_of(const RankTrace& trace, const TraceEvent& event);

// For all traces of a job, one after the other.
class TaskInfos {
 public:
  explicit TaskInfos(const JobGroups& groups) : groups_(groups) {}

  // The trace whose events are asked for from now on; it must stay.
  void begin(const RankTrace& trace, std::size_t number);
  // Its place in all(). `lane`: that the event's row is.
  std::int32_t of(const TraceEvent& event, std::int32_t lane);
  std::vector<SpanInfo>& all() { return all_; }

 private:
  Phase phase_of(const TraceEvent& event) const;

  const JobGroups& groups_;
  const RankTrace* trace_ = nullptr;
  std::size_t number_ = 0;
  std::set<std::int64_t> backward_;  // operations of the trace: whose forward was done before
  std::vector<SpanInfo> all_;
  std::map<std::tuple<std::string, SpanKind, int, double, Phase, Axis, std::string>, std::int32_t>
      known_;
};

}  // namespace quintet
