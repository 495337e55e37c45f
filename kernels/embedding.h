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

// Adds each row's gradient to the rows of the tables it came from, row after row: the order of
// every sum is the order of the rows. Always accumulates; zero the tables first for a fresh
// gradient.
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
};

}  // namespace quintet::kernels
