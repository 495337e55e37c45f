// Token, position and type vectors added up (GPT-2: token + position; BERT: all three; Llama:
// token).
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// The part of the vocabulary that lies here; a token outside of it adds nothing, so that the sum
// over all shards is the whole (vocabulary-parallel embedding, https://arxiv.org/abs/1909.08053 3).
struct VocabularyShard {
  std::int32_t first = 0;
  std::int32_t size = 0;
};

struct EmbeddingForward {
  Index rows = 0;
  Index width = 0;
  VocabularyShard shard{};
  const std::int32_t* tokens = nullptr;
  const std::int32_t* positions = nullptr;  // read when there is a position table
  const std::int32_t* types = nullptr;      // read when there is a type table
  ConstTensor token_table{};                // [shard.size, width]
  ConstTensor position_table{};             // optional
  ConstTensor type_table{};                 // optional
  Tensor output{};                          // [rows, width], same type as the tables
};

// Adds each row's gradient to the rows of the tables it came from, always in one order: the CPU row
// after row; a GPU the first `embedding_gradient_piece` rows that go to a table's row, row after
// row, then the sums of as many each, whatever other rows and shards there are. Always accumulates;
// zero the tables first for a fresh gradient.
inline constexpr int embedding_gradient_piece = 32;

struct EmbeddingGradient {
  Index rows = 0;
  Index width = 0;
  VocabularyShard shard{};
  const std::int32_t* tokens = nullptr;
  const std::int32_t* positions = nullptr;
  const std::int32_t* types = nullptr;
  ConstTensor output_gradient{};
  float* token_gradient = nullptr;  // optional, each of the three
  float* position_gradient = nullptr;
  float* type_gradient = nullptr;
  float* workspace = nullptr;  // on 16 bytes, embedding_gradient_workspace(rows, width) floats
};

// A GPU's: each row and where it goes, twice, with the counts that sort them, and a sum per piece.
inline Index embedding_gradient_workspace(Index rows, Index width) {
  const Index pieces = (rows + embedding_gradient_piece - 1) / embedding_gradient_piece;
  const Index counts = (rows / 1024 + 1) * 64;
  return 4 * rows + counts + pieces * width;
}

}  // namespace quintet::kernels
