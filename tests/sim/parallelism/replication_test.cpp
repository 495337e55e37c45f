// What replicators send, to the byte, and the program that says so.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/parallelism/compile.h"
#include "sim/parallelism/gradient_buckets.h"
#include "sim/parallelism/memory.h"
#include "sim/parallelism/replication/replicated_unit.h"
#include "sim/parallelism/replication/replicator_operators.h"
#include "tests/support/small_models.h"
#include "tests/support/tiny_model.h"

namespace quintet {
namespace {

// OLMo's (github.com/allenai/OLMo, of which DeMo's runs were): norms without weights, an MLP of
// SwiGLU of width 4 hidden after the gate, a tied table of 50,304 rows.
TensorShapes olmo(std::int64_t hidden) {
  TensorShapes tensors{{50'304, hidden}};
  for (int layer = 0; layer < 16; ++layer)
    for (const std::int64_t width : {3 * hidden, hidden, 8 * hidden, 4 * hidden})
      tensors.push_back({hidden, width});
  return tensors;
}

Replicator demo(int top_k) {
  return {.kind = ReplicatorKind::demo, .top_k = top_k, .index_type = IndexType::int64};
}

// arXiv 2411.19870, table 1 (as quoted in ../shared/validation/demo_results.csv): megabytes a step
// and GPU. They are cut, not rounded, to two digits: chunks of 64 x 64, int64 and fp32.
TEST(DemoWire, IsThePublishedTable) {
  const auto cut = [](std::int64_t hidden, int top_k) {
    const ReplicatedUnit unit = unit_of_tensors(olmo(hidden), demo(top_k));
    return std::floor(sent_bytes(unit, demo(top_k)).value / 1e4) / 100;
  };
  EXPECT_EQ(cut(2048, 32), 110.32);
  EXPECT_EQ(cut(2048, 16), 55.16);
  EXPECT_EQ(cut(2048, 2), 6.89);
  EXPECT_EQ(cut(1024, 8), 7.49);
  EXPECT_EQ(cut(1024, 1), 0.93);
}

// 1,176,764,416 parameters / 4,096 a chunk x 32 x 12 B.
TEST(DemoWire, CountsChunks) {
  const ReplicatedUnit unit = unit_of_tensors(olmo(2048), demo(32));
  EXPECT_EQ(unit.elements, 1'176'764'416);
  EXPECT_EQ(sent_elements(unit, demo(32)), 1'176'764'416 / 4096 * 32);
  EXPECT_EQ(sent_bytes(unit, demo(32)).value, 110'321'664.0);
}

// FlexDeMo (arXiv 2502.06728): of a shard of p parameters, p k / chunk x 8 B.
TEST(DemoWire, IsOfLinesWhereParametersAreShared) {
  Replicator replicator = demo(4);
  replicator.index_type = IndexType::int32;
  EXPECT_EQ(sent_bytes(unit_of_line(6400, replicator), replicator).value, 6400 * 4 / 64 * 8);
  // 101 chunks with one more parameter.
  EXPECT_EQ(unit_of_line(6401, replicator).elements, 6464);
  EXPECT_EQ(sent_bytes(unit_of_line(6401, replicator), replicator).value, 101 * 4 * 8);
  replicator.index_type = IndexType::int16;
  replicator.value_type = DataType::bf16;
  EXPECT_EQ(sent_bytes(unit_of_line(6400, replicator), replicator).value, 6400 * 4 / 64 * 4);
}

// Values alone: rate x p x 4 B.
TEST(RandomWire, IsTheRate) {
  const Replicator replicator{.kind = ReplicatorKind::random, .rate = 1.0 / 16};
  EXPECT_EQ(sent_bytes(unit_of_line(6400, replicator), replicator).value, 6400 / 16 * 4);
  EXPECT_EQ(sent_elements(unit_of_line(3, replicator), replicator), 1);  // at least one
}

TEST(StridingWire, IsEveryNth) {
  const Replicator replicator{.kind = ReplicatorKind::striding, .rate = 0.3};
  EXPECT_EQ(stride_of(replicator), 3);
  EXPECT_EQ(sent_elements(unit_of_line(10, replicator), replicator), 4);
}

// A vector has chunks of one row, and no more coefficients than entries.
TEST(Chunks, DivideTensors) {
  const ChunkedTensor table = chunked({50'257, 768}, demo(32));
  EXPECT_EQ(table.chunk_rows, 29);  // 50,257 = 29 x 1,733
  EXPECT_EQ(table.chunk_columns, 64);
  const ChunkedTensor bias = chunked({1, 40}, demo(64));
  EXPECT_EQ(bias.chunk_columns, 40);
  EXPECT_EQ(bias.kept, 40);
}

TEST(TensorShapes, AreAllParameters) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()})
    for (const int tensor : {1, 2}) {
      const ParameterSplit split{tensor, 1};
      EXPECT_EQ(count_of(layer_tensors(model, split)), layer_parameters(model, split).total());
      EXPECT_EQ(count_of(embedding_tensors(model, split)),
                embedding_parameters(model, split).total());
      EXPECT_EQ(count_of(head_tensors(model, split, Projection::own)),
                head_parameters(model, split).total());
    }
}

// Four data-parallel ranks of a tiny model, each of which keeps a half of the state.
Plan pairs_of_two(const Replicator& replicator) {
  Plan plan = test::tiny_plan();
  plan.parallelism.tensor = plan.parallelism.pipeline = 1;
  plan.parallelism.data = 4;
  plan.parallelism.micro_batches = 1;
  plan.parallelism.clipping = Clipping::none;
  plan.parallelism.sharding = Sharding::optimizer;
  plan.parallelism.sharding_group = 2;
  plan.parallelism.replicator = replicator;
  plan.ccl.bucket = Bytes{};
  return plan;
}

// All that a program says of gradients and weights between backward and the next forward.
std::vector<std::string> exchanges(const Plan& plan) {
  const Program program = compile(test::tiny_model(), plan, {});
  EXPECT_TRUE(faults(program).empty()) << faults(program).front();
  std::vector<std::string> lines;
  for (const Call& call : program.roles.front().script.calls) {
    const Body& body = program.bodies[call.body.index()];
    if (body.phase != Phase::update) continue;
    for (const Instruction& instruction : body.instructions) {
      std::string line = instruction.name;
      if (const auto* const collective = std::get_if<Collective>(&instruction.action))
        line += " " + program.communicators[collective->communicator.index()].name + " " +
                std::to_string(std::llround(collective->size.value));
      lines.push_back(line + (call.every > 1 ? " every " + std::to_string(call.every) : ""));
    }
  }
  return lines;
}

// 1,832 parameters: a line of 916, 15 chunks of 64, 4 coefficients of 8 B each from two replicas.
TEST(Replicated, GathersCoefficientsBetweenShardingGroups) {
  EXPECT_EQ(
      exchanges(pairs_of_two({.kind = ReplicatorKind::demo, .top_k = 4})),
      (std::vector<std::string>{
          "all-gather weights shards 3664", "gradient_scale update",
          "reduce-scatter gradients shards 7328", "compress update", "compress update",
          "compress update", "compress update", "compress update",
          "all-gather coefficients between replicas replicas 960", "decompress update",
          "decompress update", "decompress update", "optimizer_update update", "cast update"}));
}

// A quarter of 916 elements, 4 B each; of 20 steps the last.
TEST(Replicated, SumsDrawnElementsBetweenShardingGroups) {
  EXPECT_EQ(
      exchanges(pairs_of_two({.kind = ReplicatorKind::random, .every = 20, .rate = 0.25})),
      (std::vector<std::string>{
          "all-gather weights shards 3664", "gradient_scale update",
          "reduce-scatter gradients shards 7328", "compress update every 20",
          "compress update every 20", "all-reduce momentum between replicas replicas 916 every 20",
          "decompress update every 20", "optimizer_update update", "cast update"}));
}

// Weights, when they are updated: 916 in fp32.
TEST(Replicated, AveragesWeightsAfterTheUpdate) {
  EXPECT_EQ(
      exchanges(pairs_of_two({.kind = ReplicatorKind::diloco, .every = 100})),
      (std::vector<std::string>{"all-gather weights shards 3664", "gradient_scale update",
                                "reduce-scatter gradients shards 7328", "optimizer_update update",
                                "cast update", "compress update every 100",
                                "all-reduce parameters between replicas replicas 3664 every 100",
                                "decompress update every 100"}));
}

// Of ranks that share nothing each bucket leaves when backward has filled it: the first, of head
// and last layer, before the other layer's backward.
TEST(Replicated, LeavesUnderBackward) {
  Plan plan = pairs_of_two({.kind = ReplicatorKind::demo});
  plan.parallelism.sharding = Sharding::none;
  plan.parallelism.sharding_group = 0;
  plan.ccl.bucket = Bytes{1};
  const Program program = compile(test::tiny_model(), plan, {});
  std::vector<std::string> order;
  for (const Call& call : program.roles.front().script.calls) {
    const std::string& name = program.bodies[call.body.index()].name;
    if (name == "replicator choice" || name == "replicator merge" || name == "layer backward" ||
        name == "embedding backward")
      order.push_back(name);
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"layer backward", "replicator choice", "layer backward",
                                      "embedding backward", "replicator choice", "replicator merge",
                                      "replicator merge"}));
}

// A momentum in fp32 of the half that a rank keeps, and what is under way: two replicas' parts of
// 480 B, and coefficients with their inverse, 960 elements of 4 B each.
TEST(Replicated, KeepsAMomentum) {
  const Plan with = pairs_of_two({.kind = ReplicatorKind::demo, .top_k = 4});
  const StageMemory kept = stage_memory(test::tiny_model(), with, {}).front();
  const StageMemory without = stage_memory(test::tiny_model(), pairs_of_two({}), {}).front();
  EXPECT_EQ((kept.optimizer - without.optimizer).value, 916 * 4);
  EXPECT_EQ((kept.communication - without.communication).value, 2 * 480 + 2 * 960 * 4);
}

// 2 n (64 + 64) FLOPs of a tensor of chunks of 64 x 64, there and back; of a line half as many.
TEST(Replicated, CountsTheTransformsFlops) {
  const Replicator replicator = demo(32);
  const auto flops = [&](const ReplicatedUnit& unit) {
    double sum = 0;
    for (const Operator& each : choice_operators(unit, {replicator, DataType::bf16, 2}))
      if (std::holds_alternative<GemmShape>(each.shape))
        sum += flops_of(each, AttentionCount::full).value;
    return sum;
  };
  const double elements = 4096 * 1024;
  EXPECT_EQ(flops(unit_of_tensors({{4096, 1024}}, replicator)), 2 * 2 * elements * 128);
  EXPECT_EQ(flops(unit_of_line(4096 * 1024, replicator)), 2 * 2 * elements * 64);
}

}  // namespace
}  // namespace quintet
