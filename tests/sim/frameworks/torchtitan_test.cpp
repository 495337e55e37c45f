// torchtitan's configuration as it reads it.
#include "sim/frameworks/torchtitan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet::test {
namespace {

std::string error_of(const std::string& text, ImportNeeds needs = {16, 32}) {
  const Result<ImportedPlan> read = torchtitan::read(text, "job.toml", needs);
  return read ? "" : read.error().text();
}

ImportedPlan read_of(const std::string& text, ImportNeeds needs = {16, 32}) {
  const Result<ImportedPlan> read = torchtitan::read(text, "job.toml", needs);
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().text());
  return read ? *read : ImportedPlan{};
}

TEST(Torchtitan, DefaultsAreItsOwn) {
  const ImportedPlan read = read_of("");
  Plan expected;
  Parallelism& parallelism = expected.parallelism;
  parallelism.data = 16;  // the ranks that are left over
  parallelism.sharding = Sharding::parameters;
  parallelism.sequence_length = 2048;
  parallelism.micro_batch = 8;
  EXPECT_TRUE(read.plan == expected);
  const std::vector<NotUnderstood> selective{
      {0, "activation_checkpoint.mode = selective",
       "it recomputes every n-th layer or chosen operators, a plan's attention's core"}};
  EXPECT_EQ(read.not_understood, selective);
}

// 32 layers and one less in the first and last piece are 34 over 4: 9, 9, 8, 8, less the two.
TEST(Torchtitan, LayersAreDealtByItsRule) {
  EXPECT_EQ(torchtitan::dealt_layers(4, 32, 1, 1), (std::vector<int>{8, 9, 8, 7}));
  EXPECT_EQ(torchtitan::dealt_layers(4, 32, 0, 0), (std::vector<int>{8, 8, 8, 8}));
  EXPECT_EQ(torchtitan::dealt_layers(4, 4, 3, 0), std::vector<int>{});  // 1 each, and 3 less
  const Parallelism four =
      read_of("[parallelism]\npipeline_parallel_degree = 4\n").plan.parallelism;
  EXPECT_EQ(four.stage_layers, (std::vector<int>{8, 9, 8, 7}));
  EXPECT_EQ(four.sharding, Sharding::gradients);  // "default" keeps parameters under a pipeline
  EXPECT_EQ(four.micro_batch, 1);
  EXPECT_EQ(four.micro_batches, 8);  // of a local batch of 8
}

TEST(Torchtitan, PartsOfTheModelAreCounted) {
  const Parallelism two =
      read_of(
          "[parallelism]\npipeline_parallel_degree = 2\nmodule_fqns_per_model_part = [\n"
          "['tok_embeddings', 'layers.0'], ['layers.1', 'layers.2', 'norm', 'output']]\n")
          .plan.parallelism;
  EXPECT_EQ(two.stage_layers, (std::vector<int>{1, 2}));
}

TEST(Torchtitan, CopiesOfShardsAreHybrid) {
  const Parallelism hybrid =
      read_of("[parallelism]\ndata_parallel_replicate_degree = 4\n").plan.parallelism;
  EXPECT_EQ(hybrid.data, 16);
  EXPECT_EQ(hybrid.sharding_group, 4);
}

TEST(Torchtitan, WhatIsWrongIsRefusedWithItsLine) {
  struct Case {
    std::string text, error;
  };
  const std::vector<Case> cases{
      {"[training]\nseq_len = \"long\"",
       "2: training.seq_len: expected a whole number, found \"long\""},
      {"[training]\ncompile = 1", "2: training.compile: expected true or false, found \"1\""},
      {"[training]\nmixed_precision_reduce = 'bfloat16'",
       "2: training.mixed_precision_reduce: expected one of float32, found \"bfloat16\""},
      {"[parallelism]\ntensor_parallel_degree = 0",
       "2: parallelism.tensor_parallel_degree is to be 1 or more, not 0"},
      {"[parallelism]\ntensor_parallel_degree = 3\ndata_parallel_shard_degree = -1",
       "3: parallelism.data_parallel_shard_degree is -1, but 16 ranks cannot be dealt to the other "
       "degrees' 3"},
      {"[parallelism]\ndata_parallel_shard_degree = 3",
       "2: parallelism.data_parallel_shard_degree and the other degrees are of 3 ranks, not of 16"},
      {"[parallelism]\ntensor_parallel_degree = 8\ndata_parallel_replicate_degree = 2",
       "3: parallelism.data_parallel_replicate_degree without shards (DDP) excludes tensor and "
       "pipeline parallelism"},
      {"[training]\nglobal_batch_size = 100",
       "2: training.global_batch_size 100 is no multiple of the replicas' 128"},
      {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_microbatch_size = 3\n"
       "[training]\nlocal_batch_size = 8",
       "5: training.local_batch_size 8 is no multiple of micro-batches of 3"},
      {"[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_layers_per_stage = 5\n"
       "pipeline_parallel_schedule = '1F1B'",  // 34 / 5: 7 pieces
       "3: parallelism.pipeline_parallel_layers_per_stage makes 7 pieces, which cannot be dealt to "
       "4 stages"},
      {"[parallelism]\nmodule_fqns_per_model_part = 3",
       "2: parallelism.module_fqns_per_model_part: expected a list of lists of modules' names"}};
  for (const Case& each : cases) EXPECT_EQ(error_of(each.text), "job.toml:" + each.error);
  EXPECT_TRUE(error_of("a = 1\nb =").starts_with("job.toml:2: is no TOML: "));
}

TEST(Torchtitan, WhatTheFileDoesNotSayIsAskedFor) {
  EXPECT_EQ(error_of("", {}),
            "job.toml: parallelism.data_parallel_shard_degree is -1, the ranks that are left over; "
            "give --ranks");
  EXPECT_EQ(error_of("[parallelism]\npipeline_parallel_degree = 4", {16, {}}),
            "job.toml: deals layers by the model's number of them; give --model");
}

TEST(Torchtitan, KeysThatAreNotKnownAreListed) {
  const std::vector<NotUnderstood> expected{{4, "comm.trace_buf_size = 0", "is not known here"}};
  EXPECT_EQ(
      read_of("[activation_checkpoint]\nmode = 'none'\n[comm]\ntrace_buf_size = 0").not_understood,
      expected);
}

}  // namespace
}  // namespace quintet::test
