#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Embeddings : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Embeddings);

constexpr Index rows = 6;
constexpr Index width = 19;
constexpr std::int32_t vocabulary = 11;
const std::vector<std::int32_t> tokens{3, 10, 3, 0, 7, 3};
const std::vector<std::int32_t> positions{0, 1, 2, 0, 1, 2};
const std::vector<std::int32_t> types{0, 0, 1, 1, 0, 1};

struct Tables {
  Floats token = random_floats(vocabulary * width, 1);
  Floats position = random_floats(3 * width, 2);
  Floats type = random_floats(2 * width, 3);
};

EmbeddingForward forward(const Tables& tables, VocabularyShard shard, float* output) {
  return {rows,
          width,
          shard,
          tokens.data(),
          positions.data(),
          types.data(),
          tables.token.data() + shard.first * width,
          tables.position.data(),
          tables.type.data(),
          output};
}

TEST_P(Embeddings, ARowIsTokenPlusPositionPlusType) {
  const Tables tables;
  Floats output = poisoned(rows * width);
  kernels_->embedding_forward(forward(tables, {0, vocabulary}, output.data()), stream_);
  Floats expected;
  for (std::size_t r = 0; r < size_of(rows); ++r)
    for (Index c = 0; c < width; ++c)
      expected.push_back(tables.token[size_of(tokens[r] * width + c)] +
                         tables.position[size_of(positions[r] * width + c)] +
                         tables.type[size_of(types[r] * width + c)]);
  EXPECT_EQ(output, expected);
}

TEST_P(Embeddings, TokensAloneAreRowsOfTheTable) {
  const Tables tables;
  Floats output = poisoned(rows * width);
  EmbeddingForward alone = forward(tables, {0, vocabulary}, output.data());
  alone.position_table = alone.type_table = {};
  alone.positions = alone.types = nullptr;
  kernels_->embedding_forward(alone, stream_);
  for (Index r = 0; r < rows; ++r)
    EXPECT_EQ(part_of(output, r * width, width),
              part_of(tables.token, tokens[size_of(r)] * width, width));
}

// Token 3 of a shard that starts at 4 is another rank's: 0 here, so the sum of shards is the whole.
TEST_P(Embeddings, ShardsOfTheVocabularyAddUpToTheWhole) {
  const Tables tables;
  Floats whole = poisoned(rows * width), low = whole, high = whole;
  const auto run = [&](VocabularyShard shard, Floats& output) {
    EmbeddingForward one = forward(tables, shard, output.data());
    one.position_table = one.type_table = {};
    kernels_->embedding_forward(one, stream_);
  };
  run({0, vocabulary}, whole);
  run({0, 4}, low);
  run({4, vocabulary - 4}, high);
  for (std::size_t i = 0; i < whole.size(); ++i) low[i] += high[i];
  EXPECT_EQ(low, whole);
}

// The forward pass is linear: the gradient of a table is the sum of the rows that used it, in
// order.
TEST_P(Embeddings, GradientAddsRowsToTheirTables) {
  const Floats upstream = random_floats(rows * width, 4);
  const Floats before = random_floats(vocabulary * width, 5);
  Floats token = before, position(3 * width, 0.0F), type(2 * width, 0.0F);
  kernels_->embedding_gradient({rows,
                                width,
                                {0, vocabulary},
                                tokens.data(),
                                positions.data(),
                                types.data(),
                                upstream.data(),
                                token.data(),
                                position.data(),
                                type.data()},
                               stream_);
  Floats expected_token = before, expected_position(3 * width, 0.0F),
         expected_type(2 * width, 0.0F);
  for (std::size_t r = 0; r < size_of(rows); ++r)
    for (Index c = 0; c < width; ++c) {
      const float g = upstream[r * size_of(width) + size_of(c)];
      expected_token[size_of(tokens[r] * width + c)] += g;
      expected_position[size_of(positions[r] * width + c)] += g;
      expected_type[size_of(types[r] * width + c)] += g;
    }
  EXPECT_EQ(token, expected_token);
  EXPECT_EQ(position, expected_position);
  EXPECT_EQ(type, expected_type);
}

TEST_P(Embeddings, GradientOfAShardHoldsItsTokensOnly) {
  const Floats upstream = random_floats(rows * width, 4);
  Floats whole(vocabulary * width, 0.0F), shard(4 * width, 0.0F);
  const auto run = [&](VocabularyShard of, Floats& gradient) {
    kernels_->embedding_gradient({rows, width, of, tokens.data(), nullptr, nullptr, upstream.data(),
                                  gradient.data(), nullptr, nullptr},
                                 stream_);
  };
  run({0, vocabulary}, whole);
  run({7, 4}, shard);
  EXPECT_EQ(shard, part_of(whole, 7 * width, 4 * width));
}

}  // namespace
}  // namespace quintet::kernels
