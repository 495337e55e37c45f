// Real processes: whatever the layout, the single rank's model is trained.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

struct Layout {
  const char *name, *parallelism;
};

void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.parallelism;
}

constexpr const char* alone = R"("micro_batches": 8)";

class Layouts : public testing::TestWithParam<Layout> {};

TEST_P(Layouts, TrainTheSingleRanksModel) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun single = train(alone, {"--steps", "4"}, folder.path());
  const TrainingRun many = train(GetParam().parallelism, {"--steps", "4"}, folder.path());
  expect_equal_losses(single, many);
  EXPECT_LT(single.losses.back(), single.losses.front());
  EXPECT_NE(many.program.out.find("step 4/4"), std::string::npos) << many.program.out;
}

INSTANTIATE_TEST_SUITE_P(
    Run, Layouts,
    testing::Values(
        Layout{"Data4", R"("data": 4, "micro_batches": 2)"},
        Layout{"Zero3", R"("data": 4, "micro_batches": 2, "sharding": "parameters")"},
        Layout{"Tensor2Pipeline2", R"("tensor": 2, "pipeline": 2, "micro_batches": 8)"},
        Layout{"SequenceParallel", R"("tensor": 4, "sequence_parallel": true, "micro_batches": 8)"},
        Layout{"ZeroBubble", R"("pipeline": 4, "schedule": "zb-h1", "micro_batches": 8)"},
        Layout{"ZeroBubbleH2", R"("pipeline": 4, "schedule": "zb-h2", "micro_batches": 8)"},
        Layout{
            "Interleaved",
            R"("pipeline": 2, "virtual_stages": 2, "schedule": "interleaved", "data": 2, "micro_batches": 4)"}),
    [](const auto& layout) { return layout.param.name; });

// Threads hand each other what processes send.
TEST(OneProcess, TrainsTheSingleRanksModel) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun single = train(alone, {"--steps", "4"}, folder.path());
  for (const char* const kernels : {"reference", "fast"})
    expect_equal_losses(
        single, train(R"("tensor": 2, "pipeline": 2, "data": 2, "micro_batches": 4)",
                      {"--steps", "4", "--one-process", "--kernels", kernels}, folder.path()));
}

// Masks, rotary positions and grouped heads come from the files like everything else.
TEST(Families, OfBertAndLlamaTrainAlikeInEveryLayout) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  for (const char* const config :
       {R"({"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 32,
            "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 16,
            "vocab_size": 257, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0})",
        R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 32,
            "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 64,
            "vocab_size": 256, "rms_norm_eps": 1e-5})"}) {
    std::ofstream(folder.path() / "model.json") << config;
    const TrainingRun single = train(alone, {"--steps", "3"}, folder.path());
    expect_equal_losses(single, train(R"("tensor": 2, "data": 2, "micro_batches": 4)",
                                      {"--steps", "3"}, folder.path()));
  }
}

TrainingRun train_shipped(const std::string& plan, const std::filesystem::path& folder) {
  const ProgramRun program = run_quintet({"run", plan, "--model", "tiny-gpt", "--data",
                                          "the-valley", "--steps", "2", "--log", "log.jsonl"},
                                         folder);
  TrainingRun read = read_log(folder / "log.jsonl");
  read.program = program;
  return read;
}

TEST(ShippedPlans, OfTheTinyGptTrainOneModel) {
  const TemporaryFolder folder;
  const TrainingRun single = train_shipped("tiny-gpt-one", folder.path());
  for (const char* const plan : {"tiny-gpt-tp2-pp2", "tiny-gpt-dp4", "tiny-gpt-zero3"})
    expect_equal_losses(single, train_shipped(plan, folder.path()));
}

// e4m3 rounds a number to within 2^-4 of itself: a loss is off by no more.
TEST(ShippedPlans, InFp8AreRunAndSimulated) {
  const TemporaryFolder folder;
  const TrainingRun single = train_shipped("tiny-gpt-one", folder.path());
  const TrainingRun fp8 = train_shipped("tiny-gpt-fp8", folder.path());
  ASSERT_EQ(fp8.program.exit_code, 0) << fp8.program.err;
  ASSERT_EQ(single.losses.size(), fp8.losses.size());
  for (std::size_t step = 0; step < fp8.losses.size(); ++step)
    EXPECT_NEAR(single.losses[step], fp8.losses[step], single.losses[step] / 16);
  EXPECT_NE(single.losses, fp8.losses);
  const ProgramRun simulated = run_quintet({"simulate", "tiny-gpt-fp8", "--model", "tiny-gpt",
                                            "--topology", "alps-gh200", "--hosts", "1"},
                                           folder.path());
  EXPECT_EQ(simulated.exit_code, 0) << simulated.err;
}

}  // namespace
}  // namespace quintet::test
