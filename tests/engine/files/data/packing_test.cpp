#include "engine/files/data/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace quintet {
namespace {

using Ids = std::vector<TokenId>;
using Rows = std::vector<std::vector<std::size_t>>;

std::vector<TokenShard> shards_of(std::vector<Ids> parts) {
  std::vector<TokenShard> shards;
  for (Ids& ids : parts) shards.emplace_back(TokensInMemory{"memory", std::move(ids)});
  return shards;
}

// 9 ends a document; the third document of the first shard is cut at 3; a shard's end ends one too.
TEST(DocumentsOf, EndAtTheMarkAtTheLimitAndAtTheShardsEnd) {
  const std::vector<Document> expected{{0, 0, 2}, {0, 2, 1}, {0, 3, 3}, {0, 6, 2}, {1, 0, 1}};
  EXPECT_EQ(documents_of(shards_of({{1, 9, 9, 4, 5, 6, 7, 9}, {8}}), 9, 3), expected);
}

// Lengths 3 5 2 4 into rows of 7: 5, then 4, then 3 fits 4's room exactly, 2 fits 5's.
TEST(Pack, TheTightestRowTakesTheLongestDocument) {
  const std::vector<Document> documents{{0, 0, 3}, {0, 3, 5}, {0, 8, 2}, {0, 10, 4}};
  EXPECT_EQ(pack(documents, 7), (Rows{{1, 2}, {3, 0}}));
}

TEST(Pack, EveryDocumentIsInOneRowAndNoRowOverflows) {
  std::mt19937 random(3);
  std::vector<Document> documents;
  for (int i = 0; i < 500; ++i)
    documents.push_back({0, 0, static_cast<std::int32_t>(1 + random() % 64)});
  std::vector<int> seen(documents.size());
  for (const std::vector<std::size_t>& row : pack(documents, 64)) {
    std::int32_t sum = 0;
    for (const std::size_t document : row) sum += documents[document].count, ++seen[document];
    EXPECT_LE(sum, 64);
  }
  EXPECT_EQ(seen, std::vector<int>(documents.size(), 1));
}

// Documents 1 2 9 / 3 9: the row of 6 holds both and one token of padding.
TEST(PackedDocuments, ARowTellsItsDocumentsApartAndItsPadding) {
  const Result<PackedDocuments> packed =
      PackedDocuments::make(shards_of({{1, 2, 9, 3, 9}}),
                            {.length = 6, .vocabulary = 10, .end_of_document = 9, .padding = 0});
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->count(), 1);
  EXPECT_DOUBLE_EQ(packed->fill(), 5.0 / 6.0);
  const Result<TokenRow> row = packed->row(0);
  ASSERT_TRUE(row);
  EXPECT_EQ(*row, (TokenRow{.tokens = {1, 2, 9, 3, 9, 0},
                            .targets = {2, 9, -1, 9, -1, -1},
                            .document_starts = {0, 3, 5}}));
}

TEST(PackedDocuments, ATokenOutsideOfTheVocabularyIsRefusedByPlace) {
  const Result<PackedDocuments> packed = PackedDocuments::make(
      shards_of({{1, 2, 9, 3, 9}}), {.length = 6, .vocabulary = 9, .end_of_document = 9});
  ASSERT_TRUE(packed);
  const Result<TokenRow> row = packed->row(0);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().text(), "memory: token 2: 9 is outside of the model's vocabulary of 9");
}

}  // namespace
}  // namespace quintet
