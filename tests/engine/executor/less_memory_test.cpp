#include "engine/executor/less_memory.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

TEST(LessMemory, NamesWhatIsNotAtItsLeast) {
  Parallelism parallelism{.tensor = 2, .data = 4, .pipeline = 2};
  parallelism.micro_batch = 4;
  parallelism.schedule = PipelineSchedule::zb_h2;
  parallelism.recompute = Recompute::selective;
  parallelism.sharding = Sharding::optimizer;
  EXPECT_EQ(less_memory(parallelism),
            "parallelism.micro_batch below 4, parallelism.schedule 1f1b (now zb-h2), "
            "parallelism.recompute full (now selective), parallelism.sharding parameters (now "
            "optimizer), parallelism.offload.optimizer 1 (now 0), or more ranks along "
            "parallelism.tensor or pipeline (now 2 and 2)");
}

TEST(LessMemory, OfTheSmallestIsMoreRanks) {
  Parallelism parallelism;
  parallelism.recompute = Recompute::full;
  parallelism.offload = {.optimizer = 1, .activations = true};
  EXPECT_EQ(less_memory(parallelism),
            "more ranks along parallelism.tensor or pipeline (now 1 and 1)");
  parallelism.recompute_layers = 3;
  EXPECT_EQ(less_memory(parallelism),
            "parallelism.recompute_layers 0, which is all (now 3), or more ranks along "
            "parallelism.tensor or pipeline (now 1 and 1)");
}

// Only full recompute of all layers leaves what can be offloaded, and LAMB's state cannot be.
TEST(LessMemory, NamesOnlyWhatCanBeOffloaded) {
  Parallelism parallelism;
  parallelism.recompute = Recompute::full;
  parallelism.offload.optimizer = 0.5;
  EXPECT_EQ(less_memory(parallelism),
            "parallelism.offload.activations true (now false), parallelism.offload.optimizer 1 "
            "(now 0.5), or more ranks along parallelism.tensor or pipeline (now 1 and 1)");
  parallelism.optimizer = Optimizer::lamb;
  parallelism.offload = {.activations = true};
  EXPECT_EQ(less_memory(parallelism),
            "more ranks along parallelism.tensor or pipeline (now 1 and 1)");
}

// Offload would move it into the same memory.
TEST(LessOnCores, NamesNoOffload) {
  Parallelism parallelism{.data = 2};
  EXPECT_EQ(less_on_cores(parallelism),
            "parallelism.recompute selective or full (now none), parallelism.sharding parameters "
            "(now none), or ranks on more machines (--hosts FILE)");
  parallelism.data = 1;
  parallelism.recompute = Recompute::full;
  EXPECT_EQ(less_on_cores(parallelism), "ranks on more machines (--hosts FILE)");
}

}  // namespace
}  // namespace quintet::engine
