// Dependencies between the tasks of a rank that only times tell (rank_tasks.h says which).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "traces/trace/rank_trace.h"
#include "traces/workload/rank_tasks.h"

namespace quintet {

inline bool is_on_stream(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::copy || kind == EventKind::fill;
}

inline bool is_call(EventKind kind) {
  return kind == EventKind::launch || kind == EventKind::block || kind == EventKind::call;
}

// Two that touch may be so far apart: what a stream needs to go on after an event. Measured gaps
// behind events are 2 to 10 us.
inline constexpr std::int64_t touching_nanoseconds = 20'000;

class InferredOrder {
 public:
  // References must outlive it. `rows`: per row of the trace its drafts, in order of start; `from`:
  // the beginning of the step.
  InferredOrder(const RankTrace& trace, std::int64_t from,
                const std::vector<std::vector<std::int32_t>>& rows, std::vector<TaskDraft>& drafts)
      : trace_(trace), from_(from), rows_(rows), drafts_(drafts) {}

  // Of streams, in traces that do not tell which waits for which event.
  void infer_from_times();
  void let_threads_take_turns();
  std::int64_t inferred() const { return inferred_; }

 private:
  using LastOn = std::map<std::int32_t, std::int32_t>;  // by row: a draft
  TaskDraft& draft(std::int32_t number) { return drafts_[static_cast<std::size_t>(number)]; }
  const TraceEvent& event(std::int32_t number) const {
    return trace_.events[static_cast<std::size_t>(drafts_[static_cast<std::size_t>(number)].event)];
  }
  bool communicates(std::int32_t number) const { return is_communication(trace_, event(number)); }
  std::int64_t launch_time(std::int32_t number);
  void come_after_computing(std::int32_t own, const LastOn& last);
  void touch_ends(std::vector<std::int32_t>& work);
  void infer(std::int32_t own, std::int32_t other);

  const RankTrace& trace_;
  std::int64_t from_;
  const std::vector<std::vector<std::int32_t>>& rows_;
  std::vector<TaskDraft>& drafts_;
  std::int64_t inferred_ = 0;
};

}  // namespace quintet
