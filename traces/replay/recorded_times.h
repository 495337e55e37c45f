// What of a recorded step was work and what was waiting: the times of a replay.
//
// A recording says when tasks began and ended. What passed between the last thing that a task had
// to wait for and its beginning is its pause: of a CPU that had not launched it yet, of what nobody
// recorded. A collective works from when its last member has come until its first member has left
// it; what a member stays longer is the pause of what comes after. A message works from when it is
// sent until its receiver has it. Put one after another again, pauses and work give back the
// recorded step, and another one where work takes another time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "traces/workload/workload.h"

namespace quintet {

// One collective of a group, or one message: who takes part, and how long it worked.
struct RecordedMeeting {
  struct Member {
    std::int32_t rank = 0, task = 0;  // indices
    bool operator==(const Member&) const = default;
  };
  SpanKind kind = SpanKind::collective;  // or send: of a message
  std::int32_t group = -1;               // of a collective
  CollectiveKind collective = CollectiveKind::all_reduce;
  Axis axis = Axis::data;  // that it serves, as far as the workload knows
  DataType type = DataType::fp32;
  Bytes size;
  std::vector<Member> members;  // of a message: who sends, then who receives
  Duration work;                // below 0: not known. Of a message: until the sender is free
  Duration flight;              // of a message: from then until the receiver has it
  bool operator==(const RecordedMeeting&) const = default;
};

struct RecordedTimes {
  std::vector<RecordedMeeting> meetings;              // collectives of a group in their order
  std::vector<std::vector<std::int32_t>> meeting_of;  // per rank and task; -1: none
  std::vector<std::vector<Duration>> pause, work;     // per rank and task; work: of those in none
  // Per rank and task: it began before all that it is after had ended, and waited for that inside.
  std::vector<std::vector<bool>> late;
  std::vector<WorkloadRemark> remarks;  // of what had no partner: it takes its time
};

// Of a workload without instants pauses are 0, and works are those it says.
RecordedTimes recorded_times(const Workload& workload);

}  // namespace quintet
