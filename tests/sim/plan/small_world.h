// A model, a machine and a plan that fit each other, for tests that break one thing at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/plan/problems/problems.h"

namespace quintet {

// 12 heads, 4 of them key/value; 8 layers.
inline Model twelve_heads() {
  Model model;
  model.name = "twelve heads";
  model.layers = 8;
  model.hidden = 768;
  model.heads = 12;
  model.kv_heads = 4;
  model.head_dim = 64;
  model.feed_forward = 2048;
  model.vocabulary = 32000;
  model.max_positions = 1024;
  return model;
}

// One H100-like host; links do not matter to problems().
inline Topology one_host(int gpus) {
  Topology topology;
  topology.gpu_specs = {{.name = "H100",
                         .sm_version = 90,
                         .peaks = {{DataType::bf16, {989.4e12}}, {DataType::fp8, {1978.9e12}}}}};
  topology.gpu_spec_of_host = {0};
  topology.hosts.resize(1);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    topology.devices.push_back({.kind = DeviceKind::gpu});
    topology.hosts[0].gpus.push_back(DeviceId{gpu});
  }
  topology.devices.push_back({.kind = DeviceKind::nvswitch});
  return topology;
}

struct World {
  Plan plan;
  Model model = twelve_heads();
  Topology topology = one_host(16);

  // tensor 4 x data 2 x pipeline 2 on 16 GPUs.
  World() {
    plan.parallelism.tensor = 4;
    plan.parallelism.data = 2;
    plan.parallelism.pipeline = 2;
    plan.parallelism.sequence_length = 512;
    plan.parallelism.micro_batches = 8;
  }
};

struct Break {
  std::string what;
  std::function<void(World&)> break_it;
  std::vector<Problem> found;
};

inline void expect_found(const std::vector<Break>& table) {
  for (const Break& row : table) {
    World world;
    row.break_it(world);
    const std::vector<Problem> found = problems(world.plan, world.model, world.topology);
    EXPECT_EQ(row.found, found) << row.what << [&] {
      std::string text;
      for (const Problem& each : found)
        text += "\n  " + each.field + " | " + each.reason + " | " + each.remedy;
      return text;
    }();
  }
}

}  // namespace quintet
