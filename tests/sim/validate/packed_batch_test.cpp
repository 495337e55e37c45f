#include "sim/validate/rows/packed_batch.h"
#include "sim/base/text_file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace quintet {
namespace {

// Half of 2 tokens, half of 6: mean 4, mean square 20.
LengthHistogram two_and_six() {
  return {{0, 0.5, 0, 0, 0, 0.5}};
}

// Two ranks with one sequence each: 6 unless both drew 2, a quarter of the steps: 3/4 6 + 1/4 2
// = 5.
TEST(PackedBatch, RandomDealingWaitsForTheLongest) {
  const DealtBatch batch = dealt_batch(two_and_six(), 2, 1, 8, Dealing::random);
  EXPECT_DOUBLE_EQ(batch.mean_tokens, 4);
  EXPECT_NEAR(batch.slowest_tokens, 5, 0.15);
}

// Two of 64 sequences of a length each: strata of 128 tokens, half of them from the first and half
// from the last, so that every rank has 1 of each.
TEST(PackedBatch, StrataGiveEveryRankTheSameMix) {
  LengthHistogram lengths{std::vector<double>(512, 0.0)};
  lengths.share[99] = lengths.share[499] = 0.5;
  EXPECT_NEAR(dealt_batch(lengths, 64, 2, 8, Dealing::stratified).slowest_tokens, 600, 1e-9);
}

// Sorted 6 6 2 2 over two ranks, to and fro: 6 2 and 6 2, whatever was drawn in equal numbers; with
// many sequences per rank the slowest is within a token or two of the mean.
TEST(PackedBatch, SortingOverAllRanksEvensOut) {
  const DealtBatch batch = dealt_batch(two_and_six(), 4, 100, 8, Dealing::global_presort);
  EXPECT_LT(batch.slowest_tokens, 1.02 * batch.mean_tokens);
  const DealtBatch chance = dealt_batch(two_and_six(), 4, 100, 8, Dealing::random);
  EXPECT_GT(chance.slowest_tokens, 1.03 * chance.mean_tokens);
}

TEST(PackedBatch, IsTheSameEveryTime) {
  EXPECT_EQ(dealt_batch(two_and_six(), 8, 3, 8, Dealing::local_presort),
            dealt_batch(two_and_six(), 8, 3, 8, Dealing::local_presort));
}

// 100 tokens as pieces of about 30: 3 of 33; fewer tokens than half a piece are one sequence.
TEST(PackedBatch, EqualSequencesKeepTheTokens) {
  EXPECT_EQ(equal_sequences(100, 30), (EqualSequences{3, 33}));
  EXPECT_EQ(equal_sequences(10, 30), (EqualSequences{1, 10}));
}

// A Monte Carlo by others over the public histogram, 1,024 ranks of 16 sequences, hosts of 8
// (bert_load_balance_model.csv).
TEST(PackedBatch, AgreesWithThePublishedLoadBalance) {
  const auto file = std::filesystem::path(QUINTET_SOURCE_DIR) /
                    "../shared/validation/bert_wikipedia_seqlen_histogram.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "NOT CHECKED: there is no " << file;
  const auto lengths = parse_length_histogram(*read_text_file(file), file.string());
  ASSERT_TRUE(lengths) << lengths.error().text();
  const auto ratio = [&](Dealing dealing) {
    const DealtBatch batch = dealt_batch(*lengths, 1024, 16, 8, dealing);
    return batch.slowest_tokens / batch.mean_tokens;
  };
  EXPECT_NEAR(ratio(Dealing::random), 1.5837, 0.02);
  EXPECT_NEAR(ratio(Dealing::local_presort), 1.1761, 0.02);
  EXPECT_NEAR(ratio(Dealing::stratified), 1.1012, 0.015);
  EXPECT_NEAR(ratio(Dealing::stratified_local_presort), 1.0426, 0.01);
  EXPECT_NEAR(ratio(Dealing::global_presort), 1.0036, 0.005);
}

}  // namespace
}  // namespace quintet
