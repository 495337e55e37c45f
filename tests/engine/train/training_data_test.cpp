#include "engine/train/training_data.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/files/data/token_file.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

Model model_of(int vocabulary, ModelFamily family = ModelFamily::gpt2) {
  Model model;
  model.family = family;
  model.vocabulary = vocabulary;
  model.max_positions = 8;
  model.token_types = family == ModelFamily::bert ? 2 : 0;
  return model;
}

Parallelism plan_of(int length) {
  Parallelism parallelism;
  parallelism.sequence_length = length;
  return parallelism;
}

class TrainingData : public testing::Test {
 protected:
  TrainingOptions options_of(const std::string& name, const std::string& content) {
    write_bytes(folder_.path() / name, content);
    TrainingOptions options;
    options.plan = "plan.json";
    options.data = {folder_.path() / name};
    return options;
  }
  std::string refusal(const TrainingOptions& options, const Model& model, int length = 8) {
    const auto data = read_training_data(options, model, plan_of(length), {});
    return data ? "" : data.error().text();
  }
  TemporaryFolder folder_;
};

TEST_F(TrainingData, OfTextIsItsBytes) {
  const auto options = options_of("text.txt", "abcdefghi");  // one window of 8 and its next byte
  const auto data = read_training_data(options, model_of(256), plan_of(8), {});
  ASSERT_TRUE(data) << data.error().text();
  const auto batch = data->batch({});
  ASSERT_TRUE(batch);
  EXPECT_EQ(std::string(batch->tokens.begin(), batch->tokens.end()), "abcdefgh");
  EXPECT_EQ(std::string(batch->targets.begin(), batch->targets.end()), "bcdefghi");
}

TEST_F(TrainingData, RefusesAModelWithFewerWordsThanThereAreBytes) {
  const std::string said = refusal(options_of("text.txt", "abcdefghi"), model_of(100));
  EXPECT_NE(said.find("text.txt"), std::string::npos) << said;
  EXPECT_NE(said.find("256"), std::string::npos) << said;
  EXPECT_NE(said.find("100"), std::string::npos) << said;
}

TEST_F(TrainingData, RefusesSequencesLongerThanTheModelsPositions) {
  const std::string said = refusal(options_of("text.txt", "abcdefghi"), model_of(256), 9);
  EXPECT_NE(said.find("plan.json: parallelism.sequence_length"), std::string::npos) << said;
}

TEST_F(TrainingData, RefusesATextShorterThanASequence) {
  EXPECT_NE(refusal(options_of("text.txt", "abc"), model_of(256)).find("text.txt"),
            std::string::npos);
}

TEST_F(TrainingData, OfAFolderIsItsShardsInOrderOfTheirNames) {
  const std::vector<TokenId> low{0, 1, 2, 3, 4, 5, 6, 7, 8}, high{9, 9, 9, 9, 9, 9, 9, 9, 9};
  ASSERT_FALSE(write_token_file(folder_.path() / "b.bin", TokenFormat::llm_c, high));
  ASSERT_FALSE(write_token_file(folder_.path() / "a.bin", TokenFormat::nano_gpt, low));
  TrainingOptions options;
  options.data = {folder_.path()};
  const auto data = read_training_data(options, model_of(10), plan_of(8), {});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ(data->rows_per_epoch(), 2);
}

TEST_F(TrainingData, OfAnEmptyFolderAndOfNothingIsRefused) {
  TrainingOptions options;
  options.data = {folder_.path()};
  EXPECT_NE(refusal(options, model_of(10)).find("*.bin"), std::string::npos);
  options.data = {folder_.path() / "nowhere"};
  EXPECT_NE(refusal(options, model_of(10)).find("no such file"), std::string::npos);
}

TEST_F(TrainingData, ForBertNeedsATokenThatMasks) {
  const auto options = options_of("text.txt", "abcdefghi");
  EXPECT_NE(refusal(options, model_of(256, ModelFamily::bert)).find("--mask-token"),
            std::string::npos);
  EXPECT_EQ(refusal(options, model_of(257, ModelFamily::bert)), "");  // 256 is no byte
}

// Replicas' targets add up to what every replica divides by, though masks differ.
TEST_F(TrainingData, CountsTheTargetsOfAllReplicas) {
  const auto options = options_of("text.txt", std::string(200, 'a'));
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::bert}) {
    const Model model = model_of(257, family);
    const auto data = read_training_data(options, model, plan_of(8), {});
    ASSERT_TRUE(data);
    Parallelism parallelism;
    parallelism.data = 3;
    parallelism.micro_batch = 2;
    parallelism.micro_batches = 4;
    std::int64_t counted = 0;
    double told = 0;
    for (int replica = 0; replica < 3; ++replica) {
      const auto input = step_input(*data, model, parallelism, replica);
      ASSERT_TRUE(input);
      ASSERT_EQ(input->micro_batches.size(), 4u);
      told = input->targets;
      for (const Batch& batch : input->micro_batches) {
        counted += static_cast<std::int64_t>(batch.targets.size()) -
                   std::count(batch.targets.begin(), batch.targets.end(), no_target);
        EXPECT_EQ(batch.types.size(), family == ModelFamily::bert ? batch.tokens.size() : 0u);
      }
    }
    EXPECT_EQ(static_cast<double>(counted), told);
  }
}

}  // namespace
}  // namespace quintet::engine
