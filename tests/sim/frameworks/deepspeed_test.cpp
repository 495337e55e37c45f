// DeepSpeed's configuration as it reads it.
#include "sim/frameworks/deepspeed.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet::test {
namespace {

constexpr ImportNeeds sixteen{16, 32, 4096};

std::string refusal_of(const std::string& text, const ImportNeeds& needs = sixteen) {
  const Result<ImportedPlan> read = deepspeed::read(text, "ds.json", needs);
  return read ? "" : read.error().text();
}

ImportedPlan config_of(const std::string& text, const ImportNeeds& needs = sixteen) {
  const Result<ImportedPlan> read = deepspeed::read(text, "ds.json", needs);
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().text());
  return read ? *read : ImportedPlan{};
}

TEST(Deepspeed, DefaultsAreItsOwn) {
  const ImportedPlan read =
      config_of(R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW"}})");
  Plan expected;
  Parallelism& parallelism = expected.parallelism;
  parallelism.data = 16;
  parallelism.sequence_length = 4096;
  parallelism.micro_batch = 2;
  parallelism.compute_type = DataType::fp32;
  parallelism.clipping = Clipping::none;   // gradient_clipping is 0
  expected.ccl.overlap_gradients = false;  // no ZeRO: summed after backward
  expected.ccl.bucket = Bytes{4 * 500e6};  // in buffers of 500,000,000 numbers of 4 bytes
  EXPECT_TRUE(read.plan == expected);
  EXPECT_EQ(read.not_understood, std::vector<NotUnderstood>{});
}

// As DeepSpeed's documentation and its users' files have it: sizes are elements, and may be 5e7.
TEST(Deepspeed, ConfigurationsOfThirdStageAreRead) {
  const ImportedPlan read = config_of(R"({
    "bf16": {"enabled": true},
    "zero_optimization": {"stage": 3, "reduce_bucket_size": 5e7, "sub_group_size": 1e9,
                          "mics_shard_size": 8},
    "gradient_clipping": 1.0, "steps_per_print": 10, "optimizer": {"type": "Adam", "params": {
    "lr": 3e-5, "betas": [0.9, 0.95]}}, "scheduler": {"type": "WarmupLR", "params": {"x": 1}},
    "train_batch_size": 64, "gradient_accumulation_steps": 2})");
  Plan expected;
  Parallelism& parallelism = expected.parallelism;
  parallelism.data = 16;
  parallelism.sequence_length = 4096;
  parallelism.micro_batch = 2;  // 64 / 16 replicas / 2 steps
  parallelism.micro_batches = 2;
  parallelism.sharding = Sharding::parameters;
  parallelism.sharding_group = 8;
  parallelism.gradient_type = DataType::bf16;  // the model's
  expected.ccl.bucket = Bytes{2 * 5e7};
  EXPECT_TRUE(read.plan == expected);
  EXPECT_EQ(read.not_understood, std::vector<NotUnderstood>{});
}

// Two of three sizes make the third; one is the batch of all replicas in one step.
TEST(Deepspeed, BatchesAreCompletedByItsRule) {
  const auto batch = [](const std::string& sizes) {
    const Parallelism read = config_of("{" + sizes + "}").plan.parallelism;
    return std::pair{read.micro_batch, read.micro_batches};
  };
  EXPECT_EQ(batch(R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2)"),
            std::pair(2, 2));
  EXPECT_EQ(batch(R"("train_batch_size": 64, "gradient_accumulation_steps": 4)"), std::pair(1, 4));
  EXPECT_EQ(batch(R"("train_micro_batch_size_per_gpu": 3, "gradient_accumulation_steps": 4)"),
            std::pair(3, 4));
  EXPECT_EQ(batch(R"("train_batch_size": 64)"), std::pair(4, 1));
}

TEST(Deepspeed, WhatIsWrongIsRefusedWithItsLine) {
  struct Wrong {
    std::string text, error;
  };
  const std::string batch = "\"train_micro_batch_size_per_gpu\": 1,\n";
  const std::vector<Wrong> cases{
      {"\"zero_optimization\": {\n\"stage\": 4}",
       "3: zero_optimization.stage is to be 0, 1, 2 or 3"},
      {"\"zero_optimization\": {\"stage\": 2}, \"pipeline\": {\"stages\": 4}",
       "2: zero_optimization.stage 2 and 3 exclude pipeline parallelism"},
      {"\"zero_optimization\": {\"stage\": 3}, \"tensor_parallel\": {\"autotp_size\": 2}",
       "2: zero_optimization.stage 3 excludes tensor_parallel.autotp_size"},
      {"\"bf16\": {\"enabled\": true}, \"fp16\": {\n\"enabled\": true}",
       "3: fp16.enabled excludes bf16.enabled"},
      {"\"bf16\": {\"enabled\": true}, \"data_types\": {\"grad_accum_dtype\": \"fp32\"}",
       "2: data_types.grad_accum_dtype other than bf16 needs zero_optimization.stage 1 or more"},
      {"\"zero_optimization\": {\"stage\": 1}, \"bf16\": {\"bf16_optimizer_states\": true}",
       "2: bf16.bf16_optimizer_states needs bf16_master_weights_and_grads"},
      {"\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"ratio\": 0.5}}",
       "2: zero_optimization.offload_optimizer.ratio below 1 needs zero_optimization.stage 3"},
      {"\"optimizer\": {\"type\": \"Adam\",\n\"params\": {\"max_grad_norm\": 1}}",
       "3: optimizer.params.max_grad_norm is no parameter of an optimizer; use gradient_clipping"},
      {"\"zero_optimization\": {\"reduce_bucket_size\": 1.5}",
       "2: zero_optimization.reduce_bucket_size is to be a whole number of elements, 0 or more"},
      {"\"zero_optimization\": {\"stage\": \"two\"}",
       "2: zero_optimization.stage: expected a whole number, found \"two\""},
      {"\"bf16\": {\"enabled\": 1}", "2: bf16.enabled: expected true or false, found \"1\""},
      {"\"train_batch_size\": 17",
       "2: train_batch_size is to be micro-batch x accumulation steps x replicas; found 17, 1, 1 "
       "and 16"},
      {"\"gradient_accumulation_steps\": 2000000000",
       "1: train_batch_size is to be micro-batch x accumulation steps x replicas; "
       "found 32000000000, 1, 2000000000 and 16"},
      {"\"quintet\": {\"topology\": {\"pipe\": 2, \"data\": 3, \"model\": 2}}",
       "2: quintet.topology.data is 3, but 16 ranks make 4 replicas"}};
  for (const Wrong& each : cases)
    EXPECT_EQ(refusal_of("{" + batch + each.text + "}"), "ds.json:" + each.error);
  EXPECT_EQ(refusal_of("[]"), "ds.json: expected an object, { ... }");
  EXPECT_TRUE(refusal_of("{\n\"a\": }").starts_with("ds.json: line 2, column 6"));
}

TEST(Deepspeed, WhatTheFileDoesNotSayIsAskedFor) {
  const std::string batch = R"({"train_micro_batch_size_per_gpu": 1})";
  EXPECT_EQ(refusal_of(batch, {{}, {}, 4096}),
            "ds.json: does not say how many ranks there are; give --ranks");
  EXPECT_EQ(refusal_of(batch, {16, {}, {}}),
            "ds.json: does not say how long sequences are; give --sequence");
  EXPECT_EQ(refusal_of("{}"),
            "ds.json: train_batch_size or train_micro_batch_size_per_gpu is required");
}

TEST(Deepspeed, WhatIsNotUnderstoodIsListedWithItsLine) {
  const std::vector<NotUnderstood> expected{
      {0, "optimizer.type = of the model's code", "a plan has adamw, lamb and sgd; adamw is taken"},
      {2, "train_batch_size = \"auto\"", "is left to who starts it"},
      {3, "zero_optimization.leaf_module = 1", "is not known here"},
      {4, "zero_optimization.offload_optimizer.device = cpu",
       "the processors update, or parameters wait in the host's memory"},
      {5, "communication_data_type = fp32", "a plan sums and sends gradients in one type"}};
  EXPECT_EQ(config_of("{\"train_micro_batch_size_per_gpu\": 1,\n\"train_batch_size\": \"auto\",\n"
                      "\"zero_optimization\": {\"stage\": 2, \"leaf_module\": 1,\n"
                      "\"offload_optimizer\": {\"device\": \"cpu\"}},\n"
                      "\"communication_data_type\": \"fp32\", \"bf16\": {\"enabled\": true}}")
                .not_understood,
            expected);
}

// BF16_Optimizer keeps gradients in fp32 and sums them after backward, whatever overlap_comm says.
TEST(Deepspeed, FirstStageWithWholeGradientsDoesNotOverlap) {
  const auto ccl = [](const std::string& type) {
    return config_of(R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true},
        "zero_optimization": {"stage": 1, "overlap_comm": true, "reduce_bucket_size": 1000},
        "communication_data_type": ")" +
                     type + R"(", "data_types": {"grad_accum_dtype": ")" + type + "\"}}")
        .plan.ccl;
  };
  EXPECT_FALSE(ccl("fp32").overlap_gradients);
  EXPECT_EQ(ccl("fp32").bucket, Bytes{4 * 500e6});
  EXPECT_TRUE(ccl("bf16").overlap_gradients);
  EXPECT_EQ(ccl("bf16").bucket, Bytes{2 * 1000});
}

}  // namespace
}  // namespace quintet::test
