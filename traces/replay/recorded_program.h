// A workload as a Program, for the simulator's own walk: a role for each rank, whose script is one
// body; recorded actions of the times they took, pauses between them, collectives and messages that
// take each its own time (Collective::recorded).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"
#include "traces/replay/recorded_times.h"
#include "traces/workload/workload.h"

namespace quintet {

struct RecordedProgram {
  Program program;
  // Per rank: what its instructions are, tasks' indices; -1: a pause.
  std::vector<std::vector<std::int32_t>> tasks;
  // Per communicator and pattern, and per pattern of messages: the meeting.
  std::vector<std::vector<std::int32_t>> collectives;
  std::vector<std::int32_t> messages;
};

// Ranks are numbered by their places in the workload.
RecordedProgram recorded_program(const Workload& workload, const RecordedTimes& times);

}  // namespace quintet
