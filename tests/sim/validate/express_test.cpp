#include "sim/validate/rows/express.h"

#include <gtest/gtest.h>

#include "sim/validate/rows/row_words.h"
#include "tests/sim/validate/rows.h"
#include "tests/sim/validate/shelf.h"

namespace quintet {
namespace {

PublishedRow row() {
  return parse_rows(header() + gpt_row(), "f.csv")->front();
}

std::string reason_of(const PublishedRow& row) {
  const Expressed expressed = express(row, shipped_shelf());
  const auto* const reason = std::get_if<Unexpressed>(&expressed);
  return reason ? reason->reason : "";
}

TEST(Express, ARowBecomesItsPlan) {
  const Expressed expressed = express(row(), shipped_shelf());
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  const Parallelism& plan = made->plan.parallelism;
  EXPECT_EQ(plan.tensor, 2);
  EXPECT_EQ(plan.pipeline, 2);
  EXPECT_EQ(plan.data, 4);           // 16 GPUs / 2 / 2
  EXPECT_EQ(plan.micro_batches, 8);  // 32 sequences / 4 replicas / 1
  EXPECT_EQ(plan.schedule, PipelineSchedule::interleaved);
  EXPECT_EQ(plan.virtual_stages, 2);
  EXPECT_EQ(plan.recompute, Recompute::full);
  EXPECT_EQ(plan.attention, AttentionChoice::unfused);
  EXPECT_EQ(plan.compute_type, DataType::fp16);
  EXPECT_EQ(made->model.layers, 8);
  EXPECT_EQ(made->topology, "selene-a100");
  EXPECT_EQ(made->stack, "Megatron-LM 2021");
}

TEST(Express, LayersThatDoNotDivideAreTakenFromTheEnds) {
  PublishedRow uneven = row();
  uneven.layers = 10;  // 4 chunks of 3 are 12: the last and the first have one less
  const Expressed expressed = express(uneven, shipped_shelf());
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->plan.parallelism.stage_layers, (std::vector<int>{2, 3, 3, 2}));
}

std::vector<int> stages_of(PublishedRow row, StageCut cut, int layers, int stages) {
  row.framework = "Aleph Alpha Scaling";
  row.layers = layers;
  row.pp = stages;
  row.vpp.clear();
  Shelf shelf = shipped_shelf();
  for (SoftwareStack& stack : shelf.stacks)
    if (stack.name == row.framework) stack.stage_cut = cut;
  const Expressed made = express(row, shelf);
  if (const auto* const none = std::get_if<Unexpressed>(&made)) {
    ADD_FAILURE() << none->reason;
    return {};
  }
  return std::get<Expression>(made).plan.parallelism.stage_layers;
}

// Embedding, 40 layers, norm and head are 43 modules: 11, 11, 11 and 10, the first with 10 layers
// beside the embedding, the last with 8 beside norm and head.
TEST(Express, ModulesCutEvenlyCountEmbeddingNormAndHead) {
  EXPECT_EQ(stages_of(row(), StageCut::modules, 40, 4), (std::vector<int>{10, 11, 11, 8}));
  EXPECT_EQ(stages_of(row(), StageCut::modules, 40, 1), std::vector<int>{});
}

// A layer of width 1,024 has 12.6 million parameters (12 x 1024^2 and small ones), the embedding
// and the head 51.5 million (50,257 x 1,024), as many as 4.1 layers, positions (1.0 million)
// included. 40 layers and 8.2 on four stages are 12.05 each: 8 layers beside embedding or head are
// 12.1, and 12 in each of the middle stages less than that.
TEST(Express, ModulesCutByParametersTakeEmbeddingAndHeadForWhatTheyHave) {
  EXPECT_EQ(stages_of(row(), StageCut::parameters, 40, 4), (std::vector<int>{8, 12, 12, 8}));
  EXPECT_EQ(stages_of(row(), StageCut::parameters, 40, 2), (std::vector<int>{20, 20}));
}

TEST(Express, WhatCannotBeExpressedHasAReason) {
  PublishedRow odd = row();
  odd.arch = "moe";
  EXPECT_EQ(reason_of(odd), "mixture of experts");
  odd = row();
  odd.cp = 2;
  EXPECT_EQ(reason_of(odd), "context parallelism");
  odd = row();
  odd.gpu = "TPU v4";
  EXPECT_EQ(reason_of(odd), "TPU");
  odd = row();
  odd.gpu = "RTX-3090+Titan-RTX";
  EXPECT_EQ(reason_of(odd), "mixed GPUs");
  odd = row();
  odd.gpu = "B200";
  EXPECT_EQ(reason_of(odd), "no cost table for B200");
  odd = row();
  odd.framework = "abacus";
  EXPECT_EQ(reason_of(odd), "unknown framework \"abacus\"");
  odd = row();
  odd.gbs = 30;
  EXPECT_EQ(reason_of(odd), "a global batch of 30 is not whole micro-batches of 1 on 4 replicas");
  odd = row();
  odd.layers = odd.hidden = std::nullopt;
  EXPECT_EQ(reason_of(odd), "the shape of the model is not published");
}

TEST(Express, InterleavingWithoutANumberIsTakenAsTwo) {
  PublishedRow untold = row();
  untold.vpp = "interleaved (value not given)";
  const Expressed expressed = express(untold, shipped_shelf());
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->plan.parallelism.schedule, PipelineSchedule::interleaved);
  EXPECT_EQ(made->plan.parallelism.virtual_stages, 2);
}

TEST(Express, LayersPerStageAreTakenFromTheNotes) {
  PublishedRow told = row();
  told.vpp.clear();
  // Embedding and head count as a layer each: 4 - 1 and 6 - 1.
  told.notes = "stage split [4, 6] (counts embedding and head as layers); nodes 2";
  const Expressed expressed = express(told, shipped_shelf());
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->plan.parallelism.stage_layers, (std::vector<int>{3, 5}));
  EXPECT_EQ(stage_layers_of("stage split [7, 9, 9]"), (std::vector<int>{7, 9, 9}));
  EXPECT_EQ(stage_layers_of("stage split [7, x]"), std::vector<int>{});
  EXPECT_EQ(stage_layers_of("nodes 2"), std::vector<int>{});
}

TEST(Express, AStackMayKnowTheTypeAndTheMicroBatchOfItsRows) {
  PublishedRow bare = row();
  bare.mbs = std::nullopt;
  Shelf shelf = shipped_shelf();
  for (SoftwareStack& stack : shelf.stacks) {
    stack.compute_type = DataType::bf16;
    stack.micro_batch_parameters = 1e9;
  }
  const Expressed expressed = express(bare, shelf);
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->plan.parallelism.compute_type, DataType::bf16);  // the row says fp16
  // 8 (12 1024^2 + 13 1024) + 50257 1024 + 1024 1024 + 2 1024 = 153 M: 4 of them, 8 are over 1 G.
  EXPECT_EQ(made->plan.parallelism.micro_batch, 4);
}

// 32 sequences on 4 replicas; with a pipeline they are cut.
TEST(Express, AStackMayTakeAReplicasBatchWholeWhereThereIsNoPipeline) {
  PublishedRow bare = row();
  bare.mbs = std::nullopt;
  bare.vpp.clear();
  Shelf shelf = shipped_shelf();
  for (SoftwareStack& stack : shelf.stacks) stack.whole_batch_without_pipeline = true;
  const auto micro_batch = [&](int pipeline, int gpus) {
    bare.pp = pipeline;
    bare.gpus = gpus;
    const Expressed expressed = express(bare, shelf);
    const auto* const made = std::get_if<Expression>(&expressed);
    return made ? made->plan.parallelism.micro_batch : 0;
  };
  EXPECT_EQ(micro_batch(1, 8), 8);
  EXPECT_EQ(micro_batch(2, 16), 1);
}

TEST(Express, FinetuningOfAdaptersIsNotTraining) {
  PublishedRow tuned = row();
  tuned.notes = "LoRA finetuning; printed tok/s 1";
  EXPECT_EQ(reason_of(tuned), "low-rank adapters: most weights are frozen");
}

TEST(Express, TheMachineSaysHowItsNetworkRoutes) {
  const Expressed expressed = express(row(), shipped_shelf());
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->plan.network.routing, Routing::spray);  // Selene: adaptive
}

TEST(Express, ModelsOfAStackMayHaveNoHead) {
  Shelf shelf = shipped_shelf();
  for (SoftwareStack& stack : shelf.stacks) stack.headless = {"gpt-sm"};
  const Expressed expressed = express(row(), shelf);
  const auto* const made = std::get_if<Expression>(&expressed);
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->model.headless);
}

TEST(Express, TheWordsOfPublishedTables) {
  EXPECT_EQ(recompute_of("selective (op)"), Recompute::selective);
  EXPECT_EQ(recompute_of("none at seq 8192 (text); not stated at 131072"), Recompute::none);
  EXPECT_EQ(recompute_of("recipe default (not in table)"), std::nullopt);
  EXPECT_EQ(sharding_of("FSDP FULL_SHARD / MP DEFAULT"), Sharding::parameters);
  EXPECT_EQ(sharding_of("distributed optimizer (recipe default)"), Sharding::optimizer);
  EXPECT_EQ(sharding_of("none/unknown"), Sharding::none);
  EXPECT_EQ(precision_of("FP8 current scaling"), DataType::fp8);
  EXPECT_EQ(precision_of("amp_bf16"), DataType::bf16);
  EXPECT_EQ(attention_of("megatron fused softmax (no flash)").choice, AttentionChoice::unfused);
  EXPECT_EQ(attention_of("flash_attention2 + RMS kernel").fused_norm, true);
  EXPECT_TRUE(attention_of("flash_attentionv1.0.8").first_flash);
  EXPECT_FALSE(attention_of("flash_attention2").first_flash);
}

}  // namespace
}  // namespace quintet
