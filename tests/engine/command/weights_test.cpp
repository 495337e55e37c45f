// What a run leaves behind begins another one.
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* tensor_pipeline = R"("tensor": 2, "pipeline": 2, "micro_batches": 8)";
constexpr const char* replicas = R"("data": 4, "micro_batches": 2)";

TEST(Checkpoints, LetAnotherLayoutGoOn) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun whole = train(replicas, {"--steps", "6"}, folder.path());
  const TrainingRun begun =
      train(tensor_pipeline, {"--steps", "4", "--checkpoint", "kept", "--checkpoint-every", "3"},
            folder.path());
  ASSERT_EQ(begun.program.exit_code, 0) << begun.program.err;
  const TrainingRun resumed =
      train(replicas, {"--steps", "6", "--checkpoint", "kept", "--resume"}, folder.path());
  ASSERT_EQ(resumed.program.exit_code, 0) << resumed.program.err;
  EXPECT_NE(resumed.program.out.find("Resuming after step 4"), std::string::npos)
      << resumed.program.out;
  ASSERT_EQ(resumed.steps, (std::vector<int>{5, 6}));
  for (const std::size_t at : {0u, 1u})
    EXPECT_NEAR(resumed.losses[at], whole.losses[4 + at], 1e-5 * whole.losses[4 + at]);
}

TEST(Checkpoints, OfTheSameLayoutContinueBitForBit) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun whole = train(tensor_pipeline, {"--steps", "5"}, folder.path());
  train(tensor_pipeline, {"--steps", "3", "--checkpoint", "kept"}, folder.path());
  const TrainingRun resumed =
      train(tensor_pipeline, {"--steps", "5", "--checkpoint", "kept", "--resume"}, folder.path());
  ASSERT_EQ(resumed.steps, (std::vector<int>{4, 5})) << resumed.program.err;
  EXPECT_EQ(resumed.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
}

TEST(Weights, SavedByOneRunBeginAnother) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun first =
      train(tensor_pipeline, {"--steps", "3", "--learning-rate", "0", "--save-weights", "saved"},
            folder.path());
  ASSERT_EQ(first.program.exit_code, 0) << first.program.err;
  EXPECT_TRUE(fs::exists(folder.path() / "saved" / "config.json"));
  // Another seed would begin with other weights; the data come in its order.
  const TrainingRun other = train(
      replicas, {"--steps", "3", "--learning-rate", "0", "--weights", "saved"}, folder.path());
  expect_equal_losses(first, other);
}

}  // namespace
}  // namespace quintet::test
