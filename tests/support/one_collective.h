// The least program that communicates.
#pragma once

#include "sim/program/program.h"

namespace quintet::test {

// One collective among all ranks: instruction 0 of body 0.
inline Program one_collective(int ranks, CollectiveKind kind, Bytes size, DataType type) {
  Program program;
  program.grid.axes = {{Axis::data, ranks}};
  program.lanes = {{LaneKind::communication, "wire"}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  program.bodies = {
      {"body", {{"collective", LaneId{0}, Collective{kind, CommunicatorId{0}, size, type}, {}}}}};
  return program;
}

}  // namespace quintet::test
