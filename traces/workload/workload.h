// What each rank of a job does in one step and after what, whoever wrote it down: recorded traces
// (with the instants at which it happened), workload graphs of other simulators (Chakra, ASTRA-sim,
// SimAI: without instants), timelines of this project. From it come a Timeline to look at, a
// Program to replay (traces/replay) and costs to learn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// What communicates with whom, of the tasks that do.
struct TaskPeers {
  CollectiveKind collective = CollectiveKind::all_reduce;  // of collectives
  DataType type = DataType::fp32;
  std::int32_t group = -1;     // of collectives: index into Workload::groups
  std::int64_t sequence = -1;  // which of the group's collectives, or of the pair's messages with
                               // this tag: all that take part have the same
  std::int32_t peer = -1;      // of messages: index into Workload::ranks
  std::int64_t tag = 0;        // of messages: tells those of one pair apart, beside `sequence`
  bool operator==(const TaskPeers&) const = default;
};

struct WorkloadTask {
  std::int32_t info = 0;    // index into Workload::infos: name, kind, lane, size
  std::int32_t peers = -1;  // index into WorkloadRank::peers; -1: it communicates with nobody
  // What it takes by itself, without waiting for peers: of a collective from the arrival of the
  // last to its end. Below 0: not known (a simulator prices it).
  Duration work{-1};
  // Of compute whose time is not known: what a simulator would price. 0: nothing.
  Flops flops{};
  Bytes touched{};  // memory traffic
  // When it happened, where that was recorded; as in Span.
  Instant start, moving, end;
  std::int32_t layer = -1, micro_batch = -1;
  std::int16_t chunk = 0, bucket = -1;
  bool operator==(const WorkloadTask&) const = default;
};

// A task may start when the tasks that it is after have ended, and the one before it on its lane.
struct WorkloadRank {
  Rank rank;  // of the job
  int stage = 0;
  std::string role, host;
  std::vector<WorkloadTask> tasks;  // each after all that it is after; of one lane in their order
  std::vector<TaskPeers> peers;
  // tasks[i] is after tasks[after[k]], k from after_begin[i] up to after_begin[i + 1].
  std::vector<std::int32_t> after_begin{0};
  std::vector<std::int32_t> after;

  void add(const WorkloadTask& task, std::span<const std::int32_t> after_these);
  std::span<const std::int32_t> after_of(std::size_t task) const;
  bool operator==(const WorkloadRank&) const = default;
};

struct WorkloadGroup {
  std::string name;                 // "0", "tensor"
  std::vector<std::int32_t> ranks;  // indices into Workload::ranks, in the group's order
  // Ranks of the job, in the group's order: not all need be among Workload::ranks, as others are
  // only known of where one trace of many is read.
  std::vector<int> members;
  bool operator==(const WorkloadGroup&) const = default;
};

// What could not be told of what was read: said, never silently left out.
struct WorkloadRemark {
  std::string text;  // "3 collectives of rank 5 have no partner on rank 2: they are left out"
  bool operator==(const WorkloadRemark&) const = default;
};

// No two recorded tasks of a lane of a rank overlap.
struct Workload {
  std::string name;
  int world_size = 0;          // ranks of the job; at least as many as are here
  bool recorded = false;       // tasks have instants
  bool lanes_in_order = true;  // tasks of a lane run one after another; false: only `after` orders
  Instant end;                 // of the step, where recorded
  std::vector<LaneInfo> lanes;
  std::vector<SpanInfo> infos;
  std::vector<WorkloadGroup> groups;
  std::vector<WorkloadRank> ranks;
  std::vector<WorkloadRemark> remarks;
  bool operator==(const Workload&) const = default;
};

// Fills in what is missing of `ranks`, `members` and Workload::world_size from the others.
void complete_groups(Workload& workload);

// A broken promise of the rules above, or nothing: for tests and for readers of graphs.
std::vector<std::string> faults(const Workload& workload);

// Sets WorkloadTask::moving: collectives move once their last member has come, receives once the
// message has been sent. The workload was recorded.
void note_arrivals(Workload& workload);

// As it happened: a track per rank, a span per task, launch gaps as launch_gaps.h has them. The
// workload was recorded.
Timeline timeline_of(const Workload& workload);
// What each span waited for, and who meets, where a rank's spans are these of its tasks, in order.
SpanCauses causes_of(const Workload& workload,
                     const std::vector<std::vector<std::int32_t>>& tasks_of_spans);
// Per rank, which task each of its spans is.
std::vector<std::vector<std::int32_t>> tasks_of_spans(const Workload& workload);

}  // namespace quintet
