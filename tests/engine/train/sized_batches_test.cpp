// Micro-batches of unequal length that are rounded up for a device.
#include "engine/operators/sized_batches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/executor/rehearsal.h"
#include "tests/support/toy_models.h"

namespace quintet::engine::test {
namespace {

// 4 x 100 tokens in 32 parts: 12.5, rounded up to 16; 25 of them are the 400.
TEST(TokenCounts, AreAFewAndHoldAll) {
  const std::vector<int> counts = counts_of_tokens(4, 100);
  EXPECT_EQ(counts.size(), 25u);
  EXPECT_EQ(counts.front(), 16);
  EXPECT_EQ(counts.back(), 400);
  // 20 sequences of at most 16: a token of each is above the 10 of a part.
  EXPECT_EQ(counts_of_tokens(20, 16).front(), 24);
  EXPECT_EQ(counts_of_tokens(1, 5), std::vector<int>{5});
}

// 5 tokens of two documents become 16 by documents of 4, 4 and 3.
TEST(RoundedUp, HasDocumentsWithoutTargetsBehindItsOwn) {
  Batch batch;
  batch.sequences = 2;
  batch.length = 4;
  batch.tokens = {7, 8, 9, 1, 2};
  batch.targets = {8, 9, 1, 2, 3};
  batch.positions = {0, 1, 2, 0, 1};
  batch.types = {0, 0, 1, 0, 1};
  batch.starts = {0, 3, 5};
  const Batch made = rounded_up(batch, {8, 16, 24});
  EXPECT_EQ(rounded_up(batch, {5, 8}), batch);
  ASSERT_EQ(made.tokens.size(), 8u);
  EXPECT_EQ(made.starts, (std::vector<std::int32_t>{0, 3, 5, 8}));
  const Batch longer = rounded_up(batch, {16});
  EXPECT_EQ(longer.starts, (std::vector<std::int32_t>{0, 3, 5, 9, 13, 16}));
  EXPECT_EQ(longer.positions,
            (std::vector<std::int32_t>{0, 1, 2, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2}));
  for (std::size_t at = 5; at < 16; ++at) EXPECT_EQ(longer.targets[at], no_target);
  EXPECT_EQ(longer.types.size(), 16u);
  EXPECT_EQ(longer.targets[4], 3);
}

// The full step first; then every count that a step may ask for, three to a step.
TEST(Rehearsal, HasMicroBatchesOfEveryCount) {
  Parallelism parallelism;
  parallelism.sequence_length = toy_length;
  parallelism.micro_batch = 6;
  parallelism.micro_batches = 3;
  EXPECT_EQ(rehearsal_inputs(toy_gpt2(), parallelism).size(), 1u);
  parallelism.samples.lengths = "a test's";
  const std::vector<int> counts = counts_of_tokens(6, toy_length);
  std::vector<int> found;
  const std::vector<StepInput> inputs = rehearsal_inputs(toy_gpt2(), parallelism);
  EXPECT_EQ(inputs.size(), 1 + (counts.size() + 2) / 3);
  for (const StepInput& input : inputs)
    for (const Batch& batch : input.micro_batches) {
      found.push_back(static_cast<int>(batch.tokens.size()));
      EXPECT_EQ(batch.starts.size(), 7u);
      EXPECT_EQ(batch.starts.back(), found.back());
      EXPECT_EQ(batch.positions.size(), batch.tokens.size());
    }
  EXPECT_EQ(found.front(), 6 * toy_length);
  for (const int count : counts)
    EXPECT_NE(std::find(found.begin(), found.end(), count), found.end()) << count;
}

}  // namespace
}  // namespace quintet::engine::test
