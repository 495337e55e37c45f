// Megatron-LM's arguments as its parser has them.
#include "sim/frameworks/megatron.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet::test {
namespace {

// 16 ranks: two replicas of tensor 4 x pipeline 2.
const std::string base =
    "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py\\\n"
    " --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --seq-length 4096\\\n"
    " --micro-batch-size 1 --global-batch-size 32 --num-layers 32 --bf16 \\\n";

std::string error_of(const std::string& more, const std::string& script = base) {
  const Result<ImportedPlan> read = megatron::read(script + more, "run.sh", {});
  return read ? "" : read.error().text();
}

ImportedPlan read_with(const std::string& more) {
  const Result<ImportedPlan> read = megatron::read(base + more, "run.sh", {});
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().text());
  return read ? *read : ImportedPlan{};
}

struct Case {
  std::string more, error;
};

// What validate_args asserts.
TEST(Megatron, DependentArgumentsAreRefusedWithTheirLine) {
  const std::vector<Case> cases{
      {"--tensor-model-parallel-size 3",
       "16 ranks cannot be dealt to tensor x context x pipeline parallelism of 3 x 1 x 2"},
      {"--global-batch-size 33",
       "--global-batch-size 33 is no multiple of 2 replicas x micro-batches of 1"},
      {"--num-virtual-stages-per-pipeline-rank 2 --num-layers-per-virtual-pipeline-stage 4",
       "--num-virtual-stages-per-pipeline-rank excludes --num-layers-per-virtual-pipeline-stage"},
      {"--pipeline-model-parallel-layout 'EttL' --num-virtual-stages-per-pipeline-rank 2",
       "--pipeline-model-parallel-layout excludes --num-virtual-stages-per-pipeline-rank"},
      {"--num-layers-per-virtual-pipeline-stage 5",
       "32 layers cannot be dealt to 2 stages in pieces of 5"},
      {"--pipeline-model-parallel-layout 'Et|t|tL'",
       "--pipeline-model-parallel-layout has 3 pieces, which cannot be dealt to 2 stages"},
      {"--pipeline-model-parallel-size 1 --num-virtual-stages-per-pipeline-rank 2",
       "--num-virtual-stages-per-pipeline-rank needs --pipeline-model-parallel-size above 1"},
      {"--no-overlap-p2p-communication --num-virtual-stages-per-pipeline-rank 2",
       "--num-virtual-stages-per-pipeline-rank needs --pipeline-model-parallel-size above 2 where "
       "--no-overlap-p2p-communication is given"},
      {"--overlap-param-gather",
       "--overlap-param-gather needs --use-distributed-optimizer or --use-megatron-fsdp"},
      {"--overlap-param-gather --use-distributed-optimizer",
       "--overlap-param-gather needs --overlap-grad-reduce"},
      {"--use-megatron-fsdp", "--use-megatron-fsdp needs --ckpt-format fsdp_dtensor"},
      {"--use-torch-fsdp2", "--use-torch-fsdp2 needs --pipeline-model-parallel-size 1"},
      {"--use-torch-fsdp2 --pipeline-model-parallel-size 1 --use-distributed-optimizer",
       "--use-torch-fsdp2 excludes --use-distributed-optimizer"},
      {"--use-torch-fsdp2 --pipeline-model-parallel-size 1",
       "--use-torch-fsdp2 needs --no-gradient-accumulation-fusion"},
      {"--use-torch-fsdp2 --pipeline-model-parallel-size 1 --no-gradient-accumulation-fusion",
       "--use-torch-fsdp2 needs --untie-embeddings-and-output-weights"},
      {"--use-torch-fsdp2 --pipeline-model-parallel-size 1 --no-gradient-accumulation-fusion "
       "--untie-embeddings-and-output-weights --ckpt-format torch",
       "--use-torch-fsdp2 needs --ckpt-format torch_dist or torch_dcp"},
      {"--fp16", "--fp16 excludes --bf16"},
      {"--tp-comm-overlap", "--tp-comm-overlap needs --sequence-parallel"},
      {"--context-parallel-size 2 --seq-length 4098",
       "--seq-length is to be a multiple of 2 x --context-parallel-size, 4"},
      {"--max-position-embeddings 2048", "--max-position-embeddings is to be --seq-length or more"},
      {"--recompute-granularity selective --recompute-method block",
       "--recompute-method is not for --recompute-granularity selective"},
      {"--recompute-granularity full --recompute-method uniform --cuda-graph-impl local",
       "--cuda-graph-impl excludes --recompute-granularity full"},
      {"--recompute-granularity selective --cuda-graph-impl local",
       "--cuda-graph-impl local excludes --recompute-granularity"},
      {"--recompute-activations --cuda-graph-impl local",
       "--cuda-graph-impl local excludes --recompute-activations"},
      {"--cuda-graph-impl transformer_engine --cuda-graph-scope full_iteration",
       "--cuda-graph-scope full_iteration needs --cuda-graph-impl local"},
      {"--cuda-graph-impl local --cuda-graph-scope attn",
       "--cuda-graph-scope attn needs --cuda-graph-impl transformer_engine"},
      {"--account-for-loss-in-pipeline-split",
       "--account-for-loss-in-pipeline-split: 32 layers cannot be dealt so to 2 stages of 1 "
       "pieces"},
      {"--account-for-loss-in-pipeline-split --decoder-first-pipeline-num-layers 8",
       "--account-for-loss-in-pipeline-split excludes --decoder-first-pipeline-num-layers"},
      {"--decoder-first-pipeline-num-layers 8 --pipeline-model-parallel-layout 'Et|tL'",
       "--decoder-first-pipeline-num-layers excludes --pipeline-model-parallel-layout"},
      {"--optimizer-cpu-offload", "--optimizer-cpu-offload needs --use-precision-aware-optimizer"},
      {"--ddp-num-buckets 1 --ddp-bucket-size 2", "--ddp-num-buckets excludes --ddp-bucket-size"},
      {"--micro-batch-size 0", "--micro-batch-size is to be 1 or more, not 0"},
      {"--micro-batch-size one", "--micro-batch-size: expected a whole number, found \"one\""},
      {"--recompute-granularity half",
       "--recompute-granularity: expected one of full, selective, found \"half\""},
      {"--seq-length", "--seq-length has no value"}};
  for (const Case& each : cases) EXPECT_EQ(error_of(each.more), "run.sh:4: " + each.error);
}

TEST(Megatron, FsdpExcludesOneConnection) {
  const std::string script = "export CUDA_DEVICE_MAX_CONNECTIONS=1\n" + base;
  EXPECT_EQ(error_of("--use-megatron-fsdp --ckpt-format fsdp_dtensor", script),
            "run.sh:5: --use-megatron-fsdp excludes CUDA_DEVICE_MAX_CONNECTIONS=1");
}

TEST(Megatron, WhatIsRequiredIsAskedFor) {
  EXPECT_EQ(error_of("", "--seq-length 8"), "run.sh: --micro-batch-size is required");
  EXPECT_EQ(error_of("", "--micro-batch-size 8"), "run.sh: --seq-length is required");
  EXPECT_EQ(error_of("", "--micro-batch-size 8 --seq-length 8"),
            "run.sh: does not say how many ranks there are (--nproc_per_node, --nnodes); give "
            "--ranks");
}

TEST(Megatron, DefaultsAreItsOwn) {
  const Plan plan = read_with("").plan;
  Plan expected;
  Parallelism& parallelism = expected.parallelism;
  parallelism.tensor = 4;
  parallelism.pipeline = parallelism.data = 2;
  parallelism.sequence_length = 4096;
  parallelism.micro_batches = 16;  // 32 sequences / 2 replicas / 1
  expected.ccl.overlap_gradients = false;
  EXPECT_TRUE(plan == expected);
}

// Gradients that leave during backward: max(40e6, 1e6 x dp) parameters of 4 bytes.
TEST(Megatron, BucketsCountParameters) {
  EXPECT_EQ(read_with("--overlap-grad-reduce").plan.ccl.bucket, Bytes{160e6});
  EXPECT_EQ(read_with("--overlap-grad-reduce --ddp-bucket-size 1000").plan.ccl.bucket, Bytes{4000});
  EXPECT_EQ(read_with("--overlap-grad-reduce --grad-reduce-in-bf16").plan.ccl.bucket, Bytes{80e6});
}

TEST(Megatron, Float8HasItsOwnHistory) {
  const Parallelism one = read_with("--fp8-format hybrid").plan.parallelism;
  EXPECT_EQ(one.compute_type, DataType::fp8);
  EXPECT_TRUE((one.float8 == Float8Recipe{Float8Scaling::delayed, 1, 0}));
  const Parallelism many =
      read_with("--fp8-format hybrid --fp8-amax-history-len 1024 --fp8-amax-compute-algo max")
          .plan.parallelism;
  EXPECT_TRUE((many.float8 == Float8Recipe{Float8Scaling::delayed, 1024, 0}));
}

TEST(Megatron, WhatIsNotUnderstoodIsListedWithItsLine) {
  const std::vector<NotUnderstood> expected{
      {4, "--moe-router-topk 2", "is not known here"},
      {4, "--optimizer muon", "a plan has adamw, lamb and sgd"},
      {5, "--lr $LR", "has a value that the file does not set"}};
  EXPECT_EQ(read_with("--moe-router-topk 2 --optimizer muon \\\n --lr $LR").not_understood,
            expected);
}

TEST(Megatron, LayoutsAreSpeltOut) {
  const auto layers = [](const std::string& layout) {
    const auto read = megatron::layers_of_layout(layout);
    return read ? *read : std::vector<int>{};
  };
  EXPECT_EQ(layers("Et*3|(tt|)*2,t|L"), (std::vector<int>{3, 2, 2, 1, 0}));
  EXPECT_EQ(layers("E|(t|)*3L"), (std::vector<int>{0, 1, 1, 1, 0}));
  EXPECT_EQ(layers("Et|m|L"), std::vector<int>{});  // multi-token prediction
  EXPECT_EQ(layers("tt"), std::vector<int>{});
  EXPECT_EQ(layers("E(t"), std::vector<int>{});
  EXPECT_EQ(layers("Et*99999999999L"), std::vector<int>{});
  EXPECT_EQ(megatron::layout_of({3, 0, 1}), "Ettt||tL");
}

TEST(Megatron, StagesAreDealtUnevenly) {
  const auto dealt = [](int layers, int stages, int pieces, megatron::UnevenStages uneven) {
    return megatron::dealt_layers(layers, stages, pieces, uneven);
  };
  // 14 layers, the embedding and the loss are 16: 4 each, less one in the first and the last.
  EXPECT_EQ(dealt(14, 4, 1, {{}, {}, true, true}), (std::vector<int>{3, 4, 4, 3}));
  EXPECT_EQ(dealt(15, 2, 2, {{}, {}, false, true}), (std::vector<int>{4, 4, 4, 3}));
  EXPECT_EQ(dealt(15, 4, 1, {{}, {}, true, true}), std::vector<int>{});
  // 2 and 4, and the other 10 layers over two stages; of two pieces each the half.
  EXPECT_EQ(dealt(16, 4, 1, {2, 4}), (std::vector<int>{2, 5, 5, 4}));
  EXPECT_EQ(dealt(14, 3, 2, {2, {}}), (std::vector<int>{1, 3, 3, 1, 3, 3}));
  EXPECT_EQ(dealt(14, 2, 1, {6, 7}), std::vector<int>{});  // one is left over
  EXPECT_EQ(dealt(14, 3, 1, {7, 7}), std::vector<int>{});  // none for the second
  EXPECT_EQ(read_with("--decoder-last-pipeline-num-layers 12").plan.parallelism.stage_layers,
            (std::vector<int>{20, 12}));
  EXPECT_EQ(read_with("--num-layers 31 --account-for-loss-in-pipeline-split "
                      "--num-layers-per-virtual-pipeline-stage 8")
                .plan.parallelism.stage_layers,
            (std::vector<int>{8, 8, 8, 7}));
}

TEST(Megatron, NcclVariablesHoldForAllAxes) {
  const ImportedPlan read = read_with(
      "--lr 1\nexport NCCL_ALGO=allreduce:tree NCCL_PXN_DISABLE=1\nNCCL_NET_GDR_LEVEL=LOC\n"
      "NCCL_IB_QPS_PER_CONNECTION=4\nexport NCCL_DEBUG=INFO");
  CollectiveRule rule;
  rule.kind = CollectiveKind::all_reduce;
  rule.algorithm = Algorithm::tree;
  EXPECT_EQ(read.plan.ccl.rules, std::vector{rule});
  EXPECT_EQ(read.plan.intra_inter.forwarding, Forwarding::none);
  EXPECT_EQ(read.plan.host_net.delivery, Delivery::staged);
  EXPECT_EQ(read.plan.host_net.queue_pairs, 4);
  const std::vector<NotUnderstood> expected{{8, "NCCL_DEBUG=INFO", "a plan has no field for it"}};
  EXPECT_EQ(read.not_understood, expected);
  EXPECT_EQ(error_of("--lr 1\nNCCL_ALGO=Square"),
            "run.sh:5: NCCL_ALGO: expected Tree, Ring, CollnetDirect, CollnetChain, NVLS, "
            "NVLSTree, PAT, found \"Square\"");
}

}  // namespace
}  // namespace quintet::test
