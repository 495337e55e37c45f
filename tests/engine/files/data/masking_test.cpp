#include "engine/files/data/masking.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

Masking masking_of_100() {
  return {.mask = 1, .never = {0, 1}, .vocabulary = 100, .seed = 5};
}

TokenRow row_of(std::size_t length, TokenId token) {
  TokenRow row;
  row.tokens.assign(length, token);
  row.targets.assign(length, no_target);
  row.document_starts = {0};
  return row;
}

// 100,000 tokens. Asked for: 15 % with a standard error of 0.11 points; of these (15,000) masked
// 80 % (0.33), replaced 10 % (0.24; 1 in 98 of those is the token itself). Five standard errors.
TEST(MaskTokens, SharesAreThoseOfThePaper) {
  TokenRow row = row_of(100'000, 50);
  mask_tokens(row, masking_of_100(), 0);
  double asked = 0, masked = 0, replaced = 0;
  for (std::size_t i = 0; i < row.tokens.size(); ++i) {
    if (row.targets[i] == no_target) {
      ASSERT_EQ(row.tokens[i], 50);
      continue;
    }
    ASSERT_EQ(row.targets[i], 50);
    asked += 1;
    if (row.tokens[i] == 1) masked += 1;
    if (row.tokens[i] != 1 && row.tokens[i] != 50) replaced += 1;
  }
  EXPECT_NEAR(asked / 100'000, 0.15, 0.006);
  EXPECT_NEAR(masked / asked, 0.8, 0.017);
  EXPECT_NEAR(replaced / asked, 0.1 * 97 / 98, 0.013);
}

TEST(MaskTokens, SomeTokensAreNeverAskedForNorPutIn) {
  TokenRow special = row_of(1000, 0);
  const TokenRow before = special;
  mask_tokens(special, masking_of_100(), 0);
  EXPECT_EQ(special, before);
  TokenRow row = row_of(20'000, 50);
  mask_tokens(row, masking_of_100(), 0);
  for (const TokenId token : row.tokens) EXPECT_NE(token, 0);
}

TEST(MaskTokens, DependsOnTheSequenceAndOnNothingElse) {
  TokenRow first = row_of(200, 50), again = first, other = first;
  mask_tokens(first, masking_of_100(), 7);
  mask_tokens(again, masking_of_100(), 7);
  mask_tokens(other, masking_of_100(), 8);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
}

TEST(PairSentences, TheSecondHalfIsItsOwnOrTheOthers) {
  int following = 0;
  for (std::int64_t sequence = 0; sequence < 1000; ++sequence) {
    TokenRow row = row_of(4, 10);
    pair_sentences(row, row_of(4, 20), 5, sequence);
    EXPECT_EQ(row.types, (std::vector<std::int32_t>{0, 0, 1, 1}));
    const TokenId second = row.label == 0 ? 10 : 20;
    EXPECT_EQ(row.tokens, (std::vector<TokenId>{10, 10, second, second}));
    following += row.label == 0 ? 1 : 0;
  }
  EXPECT_NEAR(following, 500, 80);  // standard deviation 16
}

}  // namespace
}  // namespace quintet
