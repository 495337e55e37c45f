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
  Floats workspace = poisoned(embedding_gradient_workspace(rows, width));
  kernels_->embedding_gradient({rows,
                                width,
                                {0, vocabulary},
                                tokens.data(),
                                positions.data(),
                                types.data(),
                                upstream.data(),
                                token.data(),
                                position.data(),
                                type.data(),
                                workspace.data()},
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
    Floats workspace = poisoned(embedding_gradient_workspace(rows, width));
    kernels_->embedding_gradient({rows, width, of, tokens.data(), nullptr, nullptr, upstream.data(),
                                  gradient.data(), nullptr, nullptr, workspace.data()},
                                 stream_);
  };
  run({0, vocabulary}, whole);
  run({7, 4}, shard);
  EXPECT_EQ(shard, part_of(whole, 7 * width, 4 * width));
}

// Many rows of a few tokens: enough for several blocks of a sort, digits of a sort, and pieces of a
// sum (kernels/embedding.h).
struct ManyRows {
  Index count = 2101, columns = 0;
  std::int32_t vocabulary = 5000;
  std::vector<std::int32_t> tokens;
  Floats upstream;

  explicit ManyRows(Index columns_) : columns(columns_) {
    std::mt19937 random(7);
    // A third of the rows goes to token 4999, a third to one of 7, the others anywhere.
    for (Index row = 0; row < count; ++row)
      tokens.push_back(row % 3 == 0   ? 4999
                       : row % 3 == 1 ? 64 * static_cast<std::int32_t>(random() % 7)
                                      : static_cast<std::int32_t>(random() % 5000));
    upstream = random_floats(count * columns, 8);
  }
  Floats gradient(Kernels& kernels, VocabularyShard shard) const {
    Stream stream;
    Floats made(size_of(shard.size * columns), 0.5F);
    Floats workspace = poisoned(embedding_gradient_workspace(count, columns));
    kernels.embedding_gradient({count, columns, shard, tokens.data(), nullptr, nullptr,
                                upstream.data(), made.data(), nullptr, nullptr, workspace.data()},
                               stream);
    return made;
  }
};

TEST_P(Embeddings, ManyRowsOfOneTokenAreAllAdded) {
  for (const Index columns : {5, 8}) {
    const ManyRows many(columns);
    Doubles expected(size_of(many.vocabulary * columns), 0.5);
    for (Index row = 0; row < many.count; ++row)
      for (Index c = 0; c < columns; ++c)
        expected[size_of(many.tokens[size_of(row)] * columns + c)] +=
            static_cast<double>(many.upstream[size_of(row * columns + c)]);
    const Floats found = many.gradient(*kernels_, {0, many.vocabulary});
    EXPECT_LT(relative_error(found, expected), fp32_tolerance) << columns << " columns";
    EXPECT_EQ(bits_of(many.gradient(*kernels_, {0, many.vocabulary})), bits_of(found));
  }
}

TEST_P(Embeddings, ManyRowsGiveAShardTheBitsOfTheWhole) {
  const ManyRows many(5);
  const Floats whole = many.gradient(*kernels_, {0, many.vocabulary});
  EXPECT_EQ(bits_of(many.gradient(*kernels_, {64, 4936})),
            bits_of(part_of(whole, 64 * many.columns, 4936 * many.columns)));
}

}  // namespace
}  // namespace quintet::kernels
