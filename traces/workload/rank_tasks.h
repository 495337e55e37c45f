// What one rank did in a step, and after what, told by its trace alone:
//   - what runs on a stream runs in order, and after the call that launched it (correlation)
//   - a stream that was made to wait for an event goes on after what that event was recorded behind
//     (cudaStreamWaitEvent and cudaEventRecord)
//   - a call that waits for a device, stream or event returns after it; so does a call that copies
//     and returns only then
//   - a thread that did nothing while another one worked goes on after that one: the two take
//   turns,
//     as autograd's thread and the one that called backward() do
//   - in traces that tell of no events: a collective comes after what had been launched before it
//   on
//     the stream that computes; and whatever began just as a kernel of another stream ended, though
//     its own stream was free and it had long been launched, comes after that kernel
#pragma once

#include <cstdint>
#include <vector>

#include "traces/trace/rank_trace.h"
#include "traces/workload/trace_step.h"

namespace quintet {

// Something that took time on a stream or thread.
struct TaskDraft {
  std::int64_t start = 0, end = 0;  // nanoseconds of the trace
  std::int32_t event = -1;          // index into RankTrace::events
  std::int32_t row = 0;
  bool returns_late = false;        // a call: it returns when what it is after has ended
  std::vector<std::int32_t> after;  // earlier drafts
};

// Calls, what runs on streams, and what a thread that makes calls does in operations between them.
struct RankTasks {
  // Each after all that it is after: in order of start, calls that return late by when they do.
  std::vector<TaskDraft> drafts;
  bool tells_of_events = false;     // the trace says which streams wait for which events
  std::int64_t inferred = 0;        // dependencies that only times tell
  std::int64_t without_launch = 0;  // kernels and copies whose call was not recorded
};

// What was launched in the window, whenever it ran.
RankTasks rank_tasks(const RankTrace& trace, const TraceWindow& window);

}  // namespace quintet
