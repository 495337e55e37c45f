// Two replicas of two stages: rank = replica + 2 x stage. Each stage sums gradients over replicas;
// stage 0 sends two micro-batches of activations to stage 1.
#pragma once

#include "sim/program/program.h"

namespace quintet::engine::test {

inline Program two_by_two() {
  Program program;
  program.grid = {{{Axis::data, 2}, {Axis::pipeline, 2}}};
  program.lanes = {{LaneKind::communication, "gradients"}, {LaneKind::communication, "messages"}};
  program.communicators = {{"data", {{Axis::data}}, {}}};
  const Collective sum{.kind = CollectiveKind::all_reduce, .communicator = CommunicatorId{0}};
  const Collective gather{.kind = CollectiveKind::all_gather, .communicator = CommunicatorId{0}};
  program.bodies = {{"gradients", {{"sum", LaneId{0}, sum, {}}, {"gather", LaneId{0}, gather, {}}}},
                    {"send", {{"send", LaneId{1}, Send{.offset = 1}, {}}}},
                    {"receive", {{"receive", LaneId{1}, Receive{.offset = -1}, {}}}}};
  const auto messages = [](int body) {
    return Script{{Call{.body = BodyId{body}, .micro_batch = 0},
                   Call{.body = BodyId{body}, .micro_batch = 1}, Call{.body = BodyId{0}}}};
  };
  program.roles = {{"stage 0", 0, messages(1)}, {"stage 1", 1, messages(2)}};
  return program;
}

}  // namespace quintet::engine::test
