// A program small enough to see through: two stages of two data-parallel ranks, one micro-batch.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/program/program.h"

namespace quintet::test {

inline Operator gemm() {
  return {Computation::mlp_up, Phase::forward, DataType::bf16, GemmShape{4, 8, 16}, 1};
}

// Ranks 0, 1: stage 0; ranks 2, 3: stage 1. Each stage computes; stage 0 sends to stage 1; both sum
// over their data axis.
inline Program small_program() {
  Program program;
  program.grid.axes = {{Axis::data, 2}, {Axis::pipeline, 2}};
  program.lanes = {{LaneKind::compute, "compute"}, {LaneKind::communication, "wire"}};
  program.communicators = {{"data", {{Axis::data}}, {}}, {"ends", {{Axis::pipeline}}, {0, 1}}};
  const LaneId compute{0}, wire{1};
  program.bodies = {
      {"work", {{"mlp_up forward", compute, Compute{gemm()}, {}}}},
      {"send", {{"send activation", wire, Send{Axis::pipeline, 1, Bytes{64}}, {}}}},
      {"receive", {{"receive activation", wire, Receive{Axis::pipeline, -1, Bytes{64}}, {}}}},
      {"exchange",
       {{"norm", compute, Compute{gemm()}, {}},
        {"all-reduce",
         wire,
         Collective{CollectiveKind::all_reduce, CommunicatorId{0}, Bytes{128}, DataType::fp32},
         {0}}}},
  };
  const auto call = [](int body, std::vector<int> after) {
    Call made;
    made.body = BodyId{body};
    made.micro_batch = 0;
    made.after = std::move(after);
    return made;
  };
  program.roles = {{"stage 0", 0, {{call(0, {}), call(1, {0}), call(3, {0})}}},
                   {"stage 1", 1, {{call(2, {}), call(0, {0}), call(3, {1})}}}};
  program.roles[0].script.calls[0].layers = 3;
  program.roles[0].script.calls[0].first_layer = 0;
  program.roles[0].script.calls[2].bucket = 1;
  return program;
}

}  // namespace quintet::test
