// Attention as a graph of cuDNN: the operators one by one in the order that its fused attention
// engines know (cuDNN's developer guide, "fused flash attention"; cudnn-frontend composes the same
// for cuDNN before 9.21). Checked without a GPU: cuDNN itself says for which GPUs it has an engine
// (tests/kernels/cudnn).
#pragma once

#include <string>
#include <variant>

#include "kernels/attention.h"
#include "kernels/cuda/cudnn/operator_graph.h"

namespace quintet::kernels::cuda {

// Sequences of one length each, bf16.
struct EvenAttention {
  Index batch = 0;
  Index query_heads = 0, key_heads = 0;
  Index queries = 0, keys = 0;  // of each sequence
  Index head_size = 0;
  AttentionMask mask = AttentionMask::causal;
  Index query_stride = 0, key_stride = 0, value_stride = 0, output_stride = 0;

  auto operator<=>(const EvenAttention&) const = default;
};

// The shape, or in words why cuDNN's graphs are not for it. Only what the shape itself says is
// looked at; memory that only the GPU reaches is not.
using EvenOrWhyNot = std::variant<EvenAttention, std::string>;
EvenOrWhyNot even_attention(const AttentionForward&);
EvenOrWhyNot even_attention(const AttentionBackward&);

// Numbers of the tensors that are given when a graph runs.
namespace port {
inline constexpr std::int64_t query = 1, key = 2, value = 3, output = 4;
inline constexpr std::int64_t statistics = 5;  // fp32 [batch, query heads, queries]: log-sum-exp
inline constexpr std::int64_t scale = 6, lowest = 7, one = 8;  // fp32 numbers
inline constexpr std::int64_t output_gradient = 9;
inline constexpr std::int64_t query_gradient = 10, key_gradient = 11, value_gradient = 12;
// fp32 workspaces of the backward pass: [batch, query heads, queries] and
// [batch, query heads, queries, head size].
inline constexpr std::int64_t output_products = 13, query_sums = 14;
}  // namespace port

OperatorGraph forward_graph(const EvenAttention&);
OperatorGraph backward_graph(const EvenAttention&);

}  // namespace quintet::kernels::cuda
