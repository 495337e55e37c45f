// What the kernels of attention's backward pass share (attention_backward.cu).
#pragma once

#include "kernels/cuda/attention/attention_tile.h"

namespace quintet::kernels::cuda {

struct AttentionGradients {
  AttentionLayout s;
  const Bfloat16* query;
  const Bfloat16* key;
  const Bfloat16* value;
  const Bfloat16* output;
  const Bfloat16* upstream;  // gradient of the output
  const float* log_sum_exp;
  float* score_start;     // [query_heads, query rows]: -log_sum_exp / scale
  float* gradient_start;  // [query_heads, query rows]: -output . upstream
  Bfloat16* query_gradient;
  Bfloat16* key_gradient;
  Bfloat16* value_gradient;
};

// Each over one kind of tile; the statistics come before.
void attention_key_gradients(const AttentionGradients&, const Stream&);
void attention_query_gradients(const AttentionGradients&, const Stream&);

template <class Tile>
__device__ Tile tile_at(int element) {
  return {reinterpret_cast<Bfloat16*>(dynamic_shared()) + element};
}

__device__ inline float* floats_at(int element) {
  return reinterpret_cast<float*>(dynamic_shared() + element * sizeof(Bfloat16));
}

// The scores' starts of a tile of queries, and after them the gradients'.
template <int queries>
__device__ void fetch_starts(const AttentionGradients& a, const Sight& sight, int head, int first,
                             float* to) {
  for (int at = static_cast<int>(threadIdx.x); at < 2 * queries; at += attention_threads) {
    const int query = first + at % queries;
    const bool there = query < sight.queries;
    const Index place = head * a.s.query_rows + sight.first_query + (there ? query : 0);
    copy_async_4_or_zero(to + at, (at < queries ? a.score_start : a.gradient_start) + place, there);
  }
}

template <int down, int across>
__device__ void make_probabilities(float (&scores)[down][across][4], float scale_log2) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int j = 0; j < across; ++j)
#pragma unroll
      for (float& score : scores[i][j]) score = power_of_two(score * scale_log2);
}

// Probabilities become gradients of the scaled scores.
template <int down, int across>
__device__ void make_score_gradients(float (&probability)[down][across][4],
                                     const float (&of_probability)[down][across][4]) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int j = 0; j < across; ++j)
#pragma unroll
      for (int part = 0; part < 4; ++part) probability[i][j][part] *= of_probability[i][j][part];
}

template <int down, int columns>
__device__ void multiply(float (&sum)[down][columns][4], float factor) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int j = 0; j < columns; ++j)
#pragma unroll
      for (float& part : sum[i][j]) part *= factor;
}

}  // namespace quintet::kernels::cuda
