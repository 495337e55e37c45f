// What is in the host's memory, what is copied, and what waits for what.
#include <gtest/gtest.h>

#include <map>

#include "sim/parallelism/memory.h"
#include "tests/sim/parallelism/layouts.h"
#include "tests/support/tiny_model.h"

namespace quintet {
namespace {

// One rank: 1832 parameters (tiny_model.h), each with 4 B of fp32 copy and 2 x 4 B of moments:
// 21,984 B, in pieces of at most 8,000 B: three, of 610, 610 and 612 parameters.
Plan streamed(double share = 1) {
  Plan plan = test::tiny_plan();
  Parallelism& parallelism = plan.parallelism;
  parallelism.tensor = parallelism.data = parallelism.pipeline = 1;
  parallelism.offload.optimizer = share;
  parallelism.offload.piece = Bytes{8000};
  return plan;
}

Plan offloaded_inputs(int stages) {
  Plan plan = test::tiny_plan();
  plan.parallelism.pipeline = stages;
  plan.parallelism.recompute = Recompute::full;
  plan.parallelism.offload.activations = true;
  return plan;
}

struct Copied {
  double bytes = 0;
  int copies = 0;
};

// What one rank of the stage moves, by direction.
std::map<CopyDirection, Copied> copied(const Program& program, std::size_t stage = 0) {
  std::map<CopyDirection, Copied> sums;
  for (const Call& call : program.roles[stage].script.calls)
    for (const Instruction& each : program.bodies[call.body.index()].instructions)
      if (const auto* const copy = std::get_if<Copy>(&each.action)) {
        sums[copy->direction].bytes += call.layers * copy->size.value;
        sums[copy->direction].copies += call.layers;
      }
  return sums;
}

// The calls of the update: "F0 after ..." by their places among the ones printed.
std::string update_text(const Program& program) {
  std::string text;
  std::map<int, std::string> names;
  const std::vector<Call>& calls = program.roles.front().script.calls;
  for (std::size_t number = 0; number < calls.size(); ++number) {
    const std::string& body = program.bodies[calls[number].body.index()].name;
    if (body != "fetch state" && body != "update" && body != "store state") continue;
    std::string& name = names[static_cast<int>(number)] =
        body.substr(0, 1) + std::to_string(calls[number].bucket);
    text += name + ":";
    for (const int before : calls[number].after)
      if (names.contains(before)) text += " " + names[before];
    text += "\n";
  }
  return text;
}

TEST(Offload, StreamsTheStateThroughTwoPlaces) {
  EXPECT_EQ(
      "f0:\nf1:\n"
      "u0: f0\ns0: u0\nf2: s0\n"
      "u1: f1\ns1: u1\n"
      "u2: f2\ns2: u2\n",
      update_text(compile(test::tiny_model(), streamed())));
  // A quarter, 458 parameters with 5,496 B, is one piece; the rest is updated while that one comes.
  EXPECT_EQ("f0:\nu-1:\nu0: f0\ns0: u0\n",
            update_text(compile(test::tiny_model(), streamed(0.25))));
}

// 12 bytes of each parameter in and out: ZeRO-Infinity (arXiv 2104.07857, section 4.1) counts 2 x
// 16 with gradients, which stay here.
TEST(Offload, MovesAllOfTheStateOnceEachWay) {
  for (const CopyDirection way : {CopyDirection::host_to_device, CopyDirection::device_to_host}) {
    auto sums = copied(compile(test::tiny_model(), streamed()));
    EXPECT_EQ(12.0 * 1832, sums[way].bytes);
    EXPECT_EQ(3, sums[way].copies);
  }
}

TEST(Offload, LeavesTwoPiecesOfTheStateOnTheGpu) {
  const StageMemory memory = stage_memory(test::tiny_model(), streamed())[0];
  EXPECT_EQ(Bytes{12.0 * (610 + 612)}, memory.optimizer);
  EXPECT_EQ(Bytes{12.0 * 1832}, memory.host);
  // 1374 parameters stay; the one piece of 458 has its place beside them.
  const StageMemory quarter = stage_memory(test::tiny_model(), streamed(0.25))[0];
  EXPECT_EQ(Bytes{12.0 * 1832}, quarter.optimizer);
  EXPECT_EQ(Bytes{12.0 * 458}, quarter.host);
}

// 4 B of fp32 copy and 2 x 2 B.
TEST(Offload, CountsMomentsInBf16) {
  Plan plan = streamed();
  plan.parallelism.moment_type = DataType::bf16;
  EXPECT_EQ(8.0 * 1832,
            copied(compile(test::tiny_model(), plan))[CopyDirection::host_to_device].bytes);
  plan.parallelism.offload = {};
  EXPECT_EQ(Bytes{8.0 * 1832}, stage_memory(test::tiny_model(), plan)[0].optimizer);
}

// Weights in fp32 are those that kernels read.
TEST(Offload, LeavesWeightsThatKernelsReadWhereTheyAre) {
  Plan plan = streamed();
  plan.parallelism.compute_type = DataType::fp32;
  EXPECT_EQ(8.0 * 1832,
            copied(compile(test::tiny_model(), plan))[CopyDirection::host_to_device].bytes);
}

// An input is 4 tokens x 8 x 2 B = 64 B; each of 2 micro-batches' layers sends one and gets it
// back.
TEST(Offload, CopiesEachInputOutAndIn) {
  for (const int stages : {1, 2}) {
    const Program program = compile(test::tiny_model(), offloaded_inputs(stages));
    EXPECT_EQ(std::vector<std::string>{}, faults(program));
    auto sums = copied(program);
    for (const CopyDirection way : {CopyDirection::host_to_device, CopyDirection::device_to_host}) {
      EXPECT_EQ(2 * 2 / stages, sums[way].copies);
      EXPECT_EQ(64.0 * 2 * 2 / stages, sums[way].bytes);
    }
  }
}

// Stage 0 has two micro-batches in flight, each with 4 ids of 8 B; of inputs that of its
// layer and that of the next pass are there, and the 592 B of a layer (memory_test.cpp) while it is
// recomputed, less its input. On one stage there is a layer below, too; of one micro-batch no next.
TEST(Offload, LeavesFewInputsOnTheGpu) {
  const StageMemory memory = stage_memory(test::tiny_model(), offloaded_inputs(2))[0];
  EXPECT_EQ(Bytes{2 * 32 + 2 * 64 + (592 - 64)}, memory.activations);
  EXPECT_EQ(Bytes{2 * 64}, memory.host);
  Plan plan = offloaded_inputs(1);
  EXPECT_EQ(Bytes{32 + 3 * 64 + (592 - 64)}, stage_memory(test::tiny_model(), plan)[0].activations);
  plan.parallelism.micro_batches = 1;
  EXPECT_EQ(Bytes{32 + 2 * 64 + (592 - 64)}, stage_memory(test::tiny_model(), plan)[0].activations);
}

// 2 x bsz x seq x hd x nl / ci bytes of activation checkpoints with one a layer (arXiv 2104.07857,
// equation 3).
TEST(Offload, KeepsOnTheHostWhatZeroInfinityCounts) {
  const Model model = test::layout_models()[1];
  Plan plan;
  plan.parallelism.sequence_length = 1024;
  plan.parallelism.micro_batch = 4;
  plan.parallelism.recompute = Recompute::full;
  plan.parallelism.offload.activations = true;
  EXPECT_EQ(Bytes{2.0 * 4 * 1024 * model.hidden * model.layers}, stage_memory(model, plan)[0].host);
}

TEST(Offload, MakesProgramsWithoutFaultsForAllLayouts) {
  for (test::Layout layout : test::layouts()) {
    Parallelism& parallelism = layout.plan.parallelism;
    parallelism.offload = {.optimizer = 0.5, .activations = true, .piece = Bytes{50e6}};
    parallelism.recompute = Recompute::full;
    const Program program = compile(layout.model, layout.plan);
    ASSERT_EQ(std::vector<std::string>{}, faults(program)) << test::text_of(layout);
    for (std::size_t stage = 0; stage < program.roles.size(); ++stage) {
      auto sums = copied(program, stage);
      EXPECT_EQ(sums[CopyDirection::host_to_device].bytes,
                sums[CopyDirection::device_to_host].bytes)
          << test::text_of(layout);
    }
  }
}

TEST(Offload, ChangesNothingWhereThereIsNone) {
  const Program program = compile(test::tiny_model(), test::tiny_plan());
  EXPECT_EQ(8U, program.lanes.size());
  EXPECT_EQ(Bytes{}, stage_memory(test::tiny_model(), test::tiny_plan())[0].host);
}

}  // namespace
}  // namespace quintet
