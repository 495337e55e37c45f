#include "engine/files/data/batch_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

using Ids = std::vector<TokenId>;

TokenShard memory(std::int64_t count, TokenId first) {
  Ids ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return TokensInMemory{"memory", std::move(ids)};
}

// Windows of 4: shard one (11 tokens: 0 .. 10) holds 2, shard two (5 tokens: 100 .. 104) holds 1.
TokenWindows two_shards() {
  std::vector<TokenShard> shards;
  shards.push_back(memory(11, 0));
  shards.push_back(memory(5, 100));
  return *TokenWindows::make(std::move(shards), 4, 200);
}

TokenWindows many_windows(int length, int windows) {
  std::vector<TokenShard> shards;
  shards.push_back(memory(std::int64_t{length} * windows + 1, 0));
  return *TokenWindows::make(std::move(shards), length, length * windows + 1);
}

TEST(TokenWindows, DoNotCrossShardsAndKnowTheNextToken) {
  const TokenWindows windows = two_shards();
  ASSERT_EQ(windows.count(), 3);
  EXPECT_EQ(windows.row(1)->tokens, (Ids{4, 5, 6, 7}));
  EXPECT_EQ(windows.row(1)->targets, (Ids{5, 6, 7, 8}));
  EXPECT_EQ(windows.row(2)->tokens, (Ids{100, 101, 102, 103}));
  EXPECT_EQ(windows.row(2)->targets, (Ids{101, 102, 103, 104}));
}

TEST(TokenWindows, TooFewTokensAreRefused) {
  std::vector<TokenShard> shards;
  shards.push_back(memory(4, 0));
  const Result<TokenWindows> windows = TokenWindows::make(std::move(shards), 4, 200);
  ASSERT_FALSE(windows);
  EXPECT_EQ(windows.error().text(),
            "memory: holds 4 tokens; a sequence of 4 and the token after it need 5");
}

TEST(TokenWindows, ATokenOutsideOfTheVocabularyIsRefusedByFileAndPlace) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "s.bin";
  ASSERT_FALSE(write_token_file(file, TokenFormat::llm_c, Ids{1, 2, 3, 50257, 5}));
  std::vector<TokenShard> shards;
  shards.emplace_back(std::move(*TokenFile::open(file)));
  const Result<TokenWindows> windows = TokenWindows::make(std::move(shards), 4, 50257);
  ASSERT_TRUE(windows);
  const Result<TokenRow> row = windows->row(0);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().text(), file.string() +
                                    ": token 3: 50257 is outside of the model's vocabulary of "
                                    "50257");
}

TEST(BatchSampler, ABatchIsItsRowsOneAfterTheOther) {
  const BatchSampler sampler(two_shards(), {}, RowOrder::as_in_the_file);
  const Result<Batch> batch = sampler.batch({.sequences = 2});
  ASSERT_TRUE(batch);
  EXPECT_EQ(*batch, (Batch{.first_sequence = 0,
                           .sequences = 2,
                           .length = 4,
                           .tokens = {0, 1, 2, 3, 4, 5, 6, 7},
                           .targets = {1, 2, 3, 4, 5, 6, 7, 8},
                           .positions = {0, 1, 2, 3, 0, 1, 2, 3},
                           .starts = {0, 4, 8}}));
}

TEST(BatchSampler, EveryRowComesOncePerEpochInAnotherOrder) {
  const BatchSampler sampler(many_windows(2, 37), {.seed = 3}, RowOrder::shuffled);
  std::vector<std::vector<std::int64_t>> epochs(3);
  for (std::int64_t sequence = 0; sequence < 3 * 37; ++sequence)
    epochs[static_cast<std::size_t>(sequence / 37)].push_back(sampler.row_of_sequence(sequence));
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
  std::vector<std::int64_t> all(37);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_NE(epochs[0], all);
  for (std::vector<std::int64_t>& epoch : epochs) {
    std::sort(epoch.begin(), epoch.end());
    EXPECT_EQ(epoch, all);
  }
}

struct Layout {
  int data_ranks, micro_batches, sequences;
};

// All tokens of three steps of 24 sequences: rank by rank, micro-batch by micro-batch.
// 31 rows: 72 sequences go through more than two epochs.
Ids tokens_of_three_steps(const Layout& layout) {
  BatchSampler sampler(many_windows(3, 31), {.seed = 9}, RowOrder::shuffled);
  sampler.set_bert_tasks({.masking = {.mask = 1, .never = {1}, .vocabulary = 94, .seed = 2},
                          .sentences = BertTasks::Sentences::pairs});
  Ids tokens;
  for (int step = 0; step < 3; ++step) {
    for (int rank = 0; rank < layout.data_ranks; ++rank)
      for (int micro_batch = 0; micro_batch < layout.micro_batches; ++micro_batch) {
        const Result<Batch> batch =
            sampler.batch({rank, micro_batch, layout.micro_batches, layout.sequences});
        tokens.insert(tokens.end(), batch->tokens.begin(), batch->tokens.end());
      }
    sampler.advance(24);
  }
  return tokens;
}

TEST(BatchSampler, EveryLayoutTrainsOnTheSameSequencesInTheSameOrder) {
  const Ids alone = tokens_of_three_steps({1, 1, 24});
  EXPECT_EQ(alone.size(), 3u * 24 * 3);
  for (const Layout layout : {Layout{1, 24, 1}, {2, 1, 12}, {4, 3, 2}, {24, 1, 1}, {3, 4, 2}})
    EXPECT_EQ(tokens_of_three_steps(layout), alone) << layout.data_ranks;
}

TEST(BatchSampler, GoesOnFromItsState) {
  BatchSampler sampler(many_windows(2, 37), {.seed = 3}, RowOrder::shuffled);
  sampler.advance(8);
  const BatchSampler resumed(many_windows(2, 37), sampler.state(), RowOrder::shuffled);
  EXPECT_EQ(*sampler.batch({.sequences = 8}), *resumed.batch({.sequences = 8}));
  EXPECT_EQ(resumed.batch({.sequences = 8})->first_sequence, 8);
}

TEST(BatchSampler, PackedDocumentsKeepTheirBoundsInABatch) {
  std::vector<TokenShard> shards;
  shards.emplace_back(TokensInMemory{"memory", {1, 2, 9, 3, 9, 4, 5, 6, 7, 9}});
  Result<PackedDocuments> packed = PackedDocuments::make(
      std::move(shards), {.length = 5, .vocabulary = 10, .end_of_document = 9});
  ASSERT_TRUE(packed);
  const BatchSampler sampler(std::move(*packed), {}, RowOrder::as_in_the_file);
  const Result<Batch> batch = sampler.batch({.sequences = 2});
  ASSERT_TRUE(batch);
  // Rows: 4 5 6 7 9 / 1 2 9 + 3 9.
  EXPECT_EQ(batch->tokens, (Ids{4, 5, 6, 7, 9, 1, 2, 9, 3, 9}));
  EXPECT_EQ(batch->starts, (std::vector<std::int32_t>{0, 5, 8, 10}));
  EXPECT_EQ(batch->positions, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 0, 1, 2, 0, 1}));
}

}  // namespace
}  // namespace quintet
