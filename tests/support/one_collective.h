// The least programs that communicate.
#pragma once

#include "sim/program/program.h"

namespace quintet::test {

// Ranks with one communicator, of all of them, and nothing to do.
inline Program one_group(int ranks) {
  Program program;
  program.grid.axes = {{Axis::data, ranks}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  return program;
}

// One collective among all ranks: instruction 0 of body 0.
inline Program one_collective(int ranks, CollectiveKind kind, Bytes size, DataType type) {
  Program program = one_group(ranks);
  program.lanes = {{LaneKind::communication, "wire"}};
  program.bodies = {
      {"body", {{"collective", LaneId{0}, Collective{kind, CommunicatorId{0}, size, type}, {}}}}};
  return program;
}

}  // namespace quintet::test
