#include "sim/parallelism/gradient_buckets.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_model.h"

namespace quintet {
namespace {

// The tiny model on one tensor rank: 656 parameters a layer, embedding 256, head 256 + norm 8.
std::vector<Bucket> buckets(const Model& model, const Chunk& chunk, Bytes size) {
  return gradient_buckets(model, {}, chunk, size, DataType::fp32);
}

Bucket bucket(int last_layer, int layers, std::int64_t parameters, int pieces = 1) {
  Bucket made;
  made.last_layer = last_layer;
  made.layers = layers;
  made.parameters = parameters;
  made.pieces = pieces;
  return made;
}

TEST(GradientBuckets, AreOnePerChunkWithoutASize) {
  Bucket all = bucket(1, 2, 2 * 656 + 256 + 264);
  all.head = all.embedding = true;
  EXPECT_EQ(std::vector<Bucket>{all}, buckets(test::tiny_model(), {0, 2, true, true}, Bytes{0}));
}

// From the last layer on, each at least as large as asked: 656 x 4 = 2624 B a layer, so 4000 B take
// two. What is left over makes a smaller one.
TEST(GradientBuckets, HoldWholeLayersFromTheLastOn) {
  EXPECT_EQ((std::vector<Bucket>{bucket(6, 2, 1312), bucket(4, 2, 1312), bucket(2, 1, 656)}),
            buckets(test::tiny_model(), {2, 5, false, false}, Bytes{4000}));
}

// 2624 B in collectives of 1000 B: two of 328 parameters; 2624 / 700 = 3.7: three of 218, 218, 220.
TEST(GradientBuckets, GoInPiecesWhenALayerIsLarger) {
  EXPECT_EQ((std::vector<Bucket>{bucket(1, 1, 656, 2), bucket(0, 1, 656, 2)}),
            buckets(test::tiny_model(), {0, 2, false, false}, Bytes{1000}));
  const Bucket third = buckets(test::tiny_model(), {0, 1, false, false}, Bytes{700}).front();
  EXPECT_EQ(bucket(0, 1, 656, 3), third);
  EXPECT_EQ(218, third.piece());
  EXPECT_EQ(220, third.last_piece());
}

TEST(GradientBuckets, PutTheHeadFirstAndTheEmbeddingLast) {
  Bucket first = bucket(1, 1, 656 + 264), last = bucket(0, 1, 656 + 256);
  first.head = last.embedding = true;
  EXPECT_EQ((std::vector<Bucket>{first, last}),
            buckets(test::tiny_model(), {0, 2, true, true}, Bytes{2624}));
}

// A tied embedding gets its last gradient from the embedding's backward: with its head on one rank
// it leaves with the embedding; alone on the last stage it leaves with the head.
TEST(GradientBuckets, KeepATiedEmbeddingForTheEmbeddingsBackward) {
  Model tied = test::tiny_model();
  tied.tied_embeddings = true;
  Bucket first = bucket(1, 1, 656 + 8), last = bucket(0, 1, 656 + 256);
  first.head = last.embedding = true;
  EXPECT_EQ((std::vector<Bucket>{first, last}), buckets(tied, {0, 2, true, true}, Bytes{2624}));
  Bucket head = bucket(1, 1, 656 + 264);
  head.head = true;
  EXPECT_EQ(std::vector<Bucket>{head}, buckets(tied, {1, 1, false, true}, Bytes{2624}));
}

// More collectives than parameters make no sense.
TEST(GradientBuckets, NeverHavePiecesOfNothing) {
  EXPECT_EQ(656, buckets(test::tiny_model(), {0, 1, false, false}, Bytes{1}).front().pieces);
}

}  // namespace
}  // namespace quintet
