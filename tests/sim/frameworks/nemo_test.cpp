// Megatron-Bridge's configuration as Python has it.
#include "sim/frameworks/nemo.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet::test {
namespace {

const std::string python_base =
    "RANKS = 16\ncfg.model.seq_length = 4096\ncfg.train.micro_batch_size = 1\n"
    "cfg.mixed_precision = \"bf16_mixed\"\n";

std::string python_refusal(const std::string& more, const std::string& first = python_base) {
  const Result<ImportedPlan> read = nemo::read(first + more, "run.py", {});
  return read ? "" : read.error().text();
}

ImportedPlan python_plan(const std::string& more, const std::string& first = python_base) {
  const Result<ImportedPlan> read = nemo::read(first + more, "run.py", {});
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().text());
  return read ? *read : ImportedPlan{};
}

TEST(Nemo, AssignmentsAreReadAsPythonHasThem) {
  const auto read = nemo::read_python(
      "import os  # x.y = 1\n"
      "os.environ[\"NCCL_ALGO\"] = 'Ring'\n"
      "RANKS = 8\n"
      "\"\"\"cfg.model.a = 1\n\"\"\"\n"
      "def recipe():\n"
      "    cfg.model.seq_length = 4_096; x = 1\n"
      "    cfg.model.cuda_graph_scope = [\n        \"attn\",  # why\n        \"mlp\"]\n"
      "cfg.comm_overlap = comm.CommOverlapConfig(\n  tp_comm_overlap=True, bucket_size=None)\n"
      "cfg.model.pipeline_dtype = torch.bfloat16\n"
      "cfg.model.num_layers = 2 * width\n"
      "if cfg.a.b == 3: pass\n",
      "run.py");
  ASSERT_TRUE(read.has_value());
  const std::vector<nemo::Assignment> expected{{"model.seq_length", "4096", 7},
                                               {"model.cuda_graph_scope", "attn,mlp", 8},
                                               {"comm_overlap", "CommOverlapConfig()", 11},
                                               {"comm_overlap.tp_comm_overlap", "True", 11},
                                               {"comm_overlap.bucket_size", "None", 11},
                                               {"model.pipeline_dtype", "bfloat16", 13},
                                               {"model.num_layers", "2 * width", 14, true}};
  EXPECT_EQ(read->assignments, expected);
  EXPECT_EQ(read->environment, (std::vector<EnvironmentVariable>{{"NCCL_ALGO", "Ring"}}));
  EXPECT_EQ(read->ranks, 8);
  EXPECT_EQ(nemo::read_python("a.b = (1,\n", "run.py").error().text(),
            "run.py:1: a bracket has no end");
  EXPECT_EQ(nemo::read_python("\na.b = 'x\n", "run.py").error().text(),
            "run.py:2: a quote has no end");
}

TEST(Nemo, DefaultsAreMegatronCores) {
  const ImportedPlan read = python_plan("");
  Plan expected;
  expected.parallelism.data = 16;
  expected.parallelism.sequence_length = 4096;
  expected.ccl.overlap_gradients = false;
  EXPECT_TRUE(read.plan == expected);
  EXPECT_EQ(read.not_understood, std::vector<NotUnderstood>{});
}

// CommOverlapConfig turns both on where replicas share, with buckets of 128 x 2^20 parameters.
TEST(Nemo, CommunicationOverlapWritesOverTheRest) {
  const std::string sharded =
      "cfg.model.tensor_model_parallel_size = 2\ncfg.model.sequence_parallel = True\n"
      "cfg.ddp.use_distributed_optimizer = True\ncfg.ddp.bucket_size = 7\n"
      "cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=True";
  const Ccl ccl = python_plan(sharded + ")\n").plan.ccl;
  EXPECT_TRUE(ccl.overlap_gradients && ccl.overlap_parameters && ccl.overlap_tensor);
  EXPECT_EQ(ccl.bucket, Bytes{4.0 * 134217728});
  const Ccl other =
      python_plan(sharded + ", overlap_param_gather=False, bucket_size=10)\n").plan.ccl;
  EXPECT_TRUE(other.overlap_gradients && !other.overlap_parameters);
  EXPECT_EQ(other.bucket, Bytes{40});
}

TEST(Nemo, PresetsOfNumbersAreKnown) {
  const auto numbers = [](const std::string& preset) {
    return python_plan("cfg.mixed_precision = " + preset + "\n").plan.parallelism;
  };
  const Parallelism delayed = numbers("bf16_with_fp8_delayed_scaling_mixed()");
  EXPECT_EQ(delayed.compute_type, DataType::fp8);
  EXPECT_TRUE((delayed.float8 == Float8Recipe{Float8Scaling::delayed, 1024, 0}));
  EXPECT_EQ(numbers("\"bf16-with-fp8-subchannel-scaling-mixed\"").float8.scaling,
            Float8Scaling::block);
  const Parallelism half = numbers("'fp16_mixed'");
  EXPECT_EQ(half.compute_type, DataType::fp16);
  EXPECT_EQ(half.gradient_type, DataType::fp16);
  EXPECT_TRUE(half.loss_scaling);
  EXPECT_EQ(numbers("bf16_mixed()\ncfg.mixed_precision.grad_reduce_in_fp32 = False").gradient_type,
            DataType::bf16);
}

TEST(Nemo, StagesAreDealtUnevenly) {
  const std::string stages =
      "cfg.model.num_layers = 14\ncfg.model.pipeline_model_parallel_size = 4\n";
  EXPECT_EQ(python_plan(stages + "cfg.model.account_for_embedding_in_pipeline_split = True\n"
                                 "cfg.model.account_for_loss_in_pipeline_split = True\n")
                .plan.parallelism.stage_layers,
            (std::vector<int>{3, 4, 4, 3}));
  EXPECT_EQ(python_refusal(stages + "cfg.model.num_layers_in_last_pipeline_stage = 3\n"),
            "run.py:7: model.num_layers_in_last_pipeline_stage: 14 layers cannot be dealt so to 4 "
            "stages of 1 pieces");
}

TEST(Nemo, ALayoutMayHaveItsPiecesBeside) {
  const std::string layout =
      "cfg.model.pipeline_model_parallel_size = 2\n"
      "cfg.model.pipeline_model_parallel_layout = 'Et|tt|t|tL'\n"
      "cfg.model.virtual_pipeline_model_parallel_size = ";
  EXPECT_EQ(python_plan(layout + "2\n").plan.parallelism.stage_layers,
            (std::vector<int>{1, 2, 1, 1}));
  EXPECT_EQ(python_refusal(layout + "3\n"),
            "run.py:6: model.pipeline_model_parallel_layout excludes "
            "model.virtual_pipeline_model_parallel_size");
}

TEST(Nemo, TheLastAssignmentCounts) {
  const Parallelism parallelism = python_plan(
                                      "cfg.model.tensor_model_parallel_size = 4\n"
                                      "cfg.model.tensor_model_parallel_size = 2\n"
                                      "cfg.model.sequence_parallel = True\n"
                                      "cfg.model.sequence_parallel = False\n")
                                      .plan.parallelism;
  EXPECT_EQ(parallelism.tensor, 2);
  EXPECT_FALSE(parallelism.sequence_parallel);
}

TEST(Nemo, WhatIsWrongIsRefusedWithItsFieldAndLine) {
  struct Wrong {
    std::string more, error;
  };
  const std::vector<Wrong> cases{
      {"cfg.model.tensor_model_parallel_size = 3",
       "16 ranks cannot be dealt to tensor x context x pipeline parallelism of 3 x 1 x 1"},
      {"cfg.train.global_batch_size = 33",
       "train.global_batch_size 33 is no multiple of 16 replicas x micro-batches of 1"},
      {"cfg.model.tp_comm_overlap = True", "model.tp_comm_overlap needs model.sequence_parallel"},
      {"cfg.model.sequence_parallel = 1",
       "model.sequence_parallel: expected True or False, found \"1\""},
      {"cfg.model.recompute_granularity = 'half'",
       "model.recompute_granularity: expected one of full, selective, found \"half\""}};
  for (const Wrong& each : cases) EXPECT_EQ(python_refusal(each.more), "run.py:5: " + each.error);
  EXPECT_EQ(
      python_refusal("cfg.ddp.use_megatron_fsdp = True\ncfg.dist.use_tp_pp_dp_mapping = True"),
      "run.py:6: dist.use_tp_pp_dp_mapping excludes ddp.use_megatron_fsdp");
  EXPECT_EQ(python_refusal("cfg.model.recompute_granularity = 'selective'\n"
                           "cfg.model.cuda_graph_impl = 'local'"),
            "run.py:6: model.cuda_graph_impl local excludes model.recompute_granularity");
  EXPECT_EQ(python_refusal("", "cfg.model.seq_length = 8\n"),
            "run.py: does not say how many ranks there are (RANKS = 16); give --ranks");
  EXPECT_EQ(python_refusal("", "RANKS = 8\n"), "run.py: train.micro_batch_size is required");
}

TEST(Nemo, WhatIsNotUnderstoodIsListedWithItsLine) {
  const std::vector<NotUnderstood> expected{
      {5, "model.moe_router_topk = 2", "is not known here"},
      {6, "train.global_batch_size = 4 * size", "has a value that is computed"},
      {7, "optimizer.optimizer muon", "a plan has adamw, lamb and sgd"}};
  EXPECT_EQ(python_plan("cfg.model.moe_router_topk = 2\ncfg.train.global_batch_size = 4 * size\n"
                        "cfg.optimizer.optimizer = 'muon'\ncfg.logger.log_interval = 5\n")
                .not_understood,
            expected);
}

}  // namespace
}  // namespace quintet::test
