// A measured step as a graph of what had to happen after what. Retimed (retimed.h), it says how
// long the step would have been had some of it taken less: the estimate behind every finding.
//
// A task starts when the latest of these has ended, and as much later as it did in the recording:
//   - what the workload says it is after, and the one before it on its lane;
//   - where that does not explain why it started when it did: what ended last before it on its rank
//     (critical_path.h's rule), but not a thread's work before a GPU's where the workload tells
//     which launch any of the GPU's tasks is after.
// A device's task may start before the call that launches it has returned: as early as it did then.
// Data of an exchange moves when the last of its members has started (of a send that did not wait
// for its receive: at once), and for as long as it did. What the workload says a task is after and
// ended while it ran, as what a blocking call waits for, holds up its end instead of its start.
// So the recording itself is reproduced to the picosecond. What follows from a change rests on this
// and on nothing else: links and processors stay as busy as they were.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timeline/timeline.h"
#include "traces/report/exchanges.h"
#include "traces/workload/workload.h"

namespace quintet {

struct GraphTask {
  std::int32_t rank = 0;
  std::int32_t exchange = -1;  // that it is of; -1: none
  bool waits = false;          // for all of the exchange to start
  bool is_host = false;        // work of a thread
  Duration delay;              // of its start, after the last of `before` has ended
  Duration device_delay;       // likewise, after those that are no thread's work; less `gap`
  Duration gap;                // host gaps (Timeline) in that time
  Duration early;              // it started so long before the call that launched it returned
  Duration lag;                // from when its data could move, or its start, to Span::moving
  Duration work;               // from there, or from what holds up its end, to its end
  bool operator==(const GraphTask&) const = default;
};

// Several numbers per item: those of item i are tasks[begin[i]] up to tasks[begin[i + 1]].
struct NumberLists {
  std::vector<std::int32_t> begin{0}, numbers;
  void end_item() { begin.push_back(static_cast<std::int32_t>(numbers.size())); }
  std::int32_t count(std::int32_t item) const {
    return begin[static_cast<std::size_t>(item) + 1] - begin[static_cast<std::size_t>(item)];
  }
  template <class Each>
  void visit(std::int32_t item, Each each) const {
    const auto at = static_cast<std::size_t>(item);
    for (std::int32_t i = begin[at]; i < begin[at + 1]; ++i)
      each(numbers[static_cast<std::size_t>(i)]);
  }
  bool operator==(const NumberLists&) const = default;
};

// Tasks are the timeline's spans, by number.
struct StepGraph {
  std::vector<GraphTask> tasks;
  NumberLists before;      // per task, whose ends its start is after
  NumberLists held_up_by;  // per task, whose ends its own end is after
  NumberLists members;     // per exchange, its tasks
  // Starts (task) and ends (-1 - task) so that what one is after comes before it.
  std::vector<std::int32_t> order;
  Duration after_last;  // from the last end to the step's
  int ranks = 0;
};

// `exchanges` are those of the other two.
StepGraph step_graph(const Timeline& timeline, const Workload& workload,
                     const std::vector<Exchange>& exchanges);

}  // namespace quintet
