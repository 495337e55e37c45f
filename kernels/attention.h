// Softmax attention in tiles that never stores the score matrix
// (FlashAttention-2, https://arxiv.org/abs/2307.08691), for packed sequences of any length.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

enum class AttentionMask {
  none,
  // Query i of a sequence sees key j when j - i <= keys - queries: the last query sees all keys.
  causal,
};

// Probabilities dropped after the softmax, by the numbers of kernels/dropout.h: that of query row
// r, query head h and key k (counted in its sequence) is element
//   ((first_row + r) * whole_heads + first_head + h) * whole_keys + k.
struct AttentionDropout {
  float probability = 0.0F;  // in [0, 1)
  std::uint64_t seed = 0;
  std::uint64_t draw = 0;
  Index first_row = 0;
  Index whole_heads = 0;  // 0: query_heads
  Index first_head = 0;
  Index whole_keys = 0;  // a multiple of 4, at least the keys of every sequence
};

// Whether all sequences have as many queries, and as many keys, as one another: a library's
// attention may ask that (kernels/cuda/cudnn/attention_graph.h).
enum class SequenceLengths { any, equal };

// Sequences lie one after the other: sequence s has the query rows starts[s] to starts[s + 1].
struct AttentionLayout {
  Index sequences = 0;
  const std::int32_t* query_starts = nullptr;  // [sequences + 1], ascending, first 0
  const std::int32_t* key_starts = nullptr;  // [sequences + 1]; the same memory for self-attention
  Index query_heads = 0;
  Index key_heads = 0;  // divides query_heads: each serves query_heads / key_heads neighbours (GQA)
  Index head_size = 0;  // at most attention_head_limit
  AttentionMask mask = AttentionMask::causal;
  Index window = 0;  // causal: keys a query sees at most, the last of them its own; 0: all
  AttentionDropout dropout{};
  float scale = 1.0F;  // 1 / sqrt(head_size) as a rule
  // Elements from one row to the next; 0: heads * head_size. Lets q, k, v be parts of one matrix.
  Index query_stride = 0;
  Index key_stride = 0;
  Index value_stride = 0;
  Index output_stride = 0;
  // query_starts[sequences] and key_starts[sequences], for a GPU's kernels, which cannot ask memory
  // that only the GPU reaches before they start; -1: not said, read from the starts.
  Index query_rows = -1;
  Index key_rows = -1;
  SequenceLengths lengths = SequenceLengths::any;
};

inline constexpr Index attention_head_limit = 256;

struct AttentionForward {
  AttentionLayout shape{};
  ConstTensor query{};  // [query rows, query_heads, head_size]
  ConstTensor key{};    // [key rows, key_heads, head_size]
  ConstTensor value{};
  Tensor output{};               // like query; zero where a query sees no key
  float* log_sum_exp = nullptr;  // [query_heads, query rows]; -infinity where it sees no key
};

struct AttentionBackward {
  AttentionLayout shape{};
  ConstTensor query{};
  ConstTensor key{};
  ConstTensor value{};
  ConstTensor output{};
  ConstTensor output_gradient{};  // stride of output
  const float* log_sum_exp = nullptr;
  Tensor query_gradient{};  // strides of query, key, value
  Tensor key_gradient{};
  Tensor value_gradient{};
  float* workspace = nullptr;  // attention_backward_workspace(shape) floats
};

// Per query row and head: its gradient in fp32, and output . output_gradient.
inline Index attention_backward_workspace(const AttentionLayout& shape) {
  const Index rows =
      shape.query_rows >= 0 ? shape.query_rows : Index{shape.query_starts[shape.sequences]};
  return rows * shape.query_heads * (shape.head_size + 1);
}

}  // namespace quintet::kernels
