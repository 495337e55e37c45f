// FlashAttention-2, algorithm 1 (https://arxiv.org/abs/2307.08691): a block to a tile of queries,
// tile after tile of keys and values, the next one's copies under way meanwhile.
#include "kernels/cuda/attention/attention_query_block.h"
#include "kernels/cuda/attention/attention_tensor.h"

namespace quintet::kernels::cuda {

namespace {

struct Arguments {
  AttentionLayout s;
  const Bfloat16* query;
  const Bfloat16* key;
  const Bfloat16* value;
  Bfloat16* output;
  float* log_sum_exp;
};

// 128 queries, 32 to a warp: each key read from shared memory serves 32 rows. As many keys as leave
// the registers of 128 threads enough for the output, [32][head] to a warp.
template <int head_>
struct Tiles {
  static constexpr int head = head_;
  static constexpr int queries = 128, keys = head <= 64 ? 64 : 32;
  static constexpr int own = queries / attention_warps;  // queries of a warp
  static constexpr int down = own / 16, across = keys / 8, columns = head / 8;
  static constexpr int blocks_at_once = 2;  // on a multiprocessor
  using Queries = Tile<queries, head>;
  using Keys = Tile<keys, head>;
  static constexpr std::size_t shared_bytes =
      (Queries::elements + 4 * Keys::elements) * sizeof(Bfloat16);

  __device__ static Queries query_tile() { return {memory()}; }
  __device__ static Keys key_tile(int number) {
    return {memory() + Queries::elements + number % 2 * (2 * Keys::elements)};
  }
  __device__ static Keys value_tile(int number) {
    return {key_tile(number).memory + Keys::elements};
  }
  __device__ static Bfloat16* memory() { return reinterpret_cast<Bfloat16*>(dynamic_shared()); }
};

// These are statistics of the rows that a lane has part of: row 16 i + lane / 4 + 8 half.
template <int down>
struct Softmax {
  float maximum[down][2];
  float sum[down][2];  // over the lane's own columns

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) maximum[i][half] = -INFINITY, sum[i][half] = 0.0F;
  }
};

// The four lanes that share a row.
__device__ float quad_maximum(float value) {
  value = fmaxf(value, __shfl_xor_sync(whole_warp, value, 1));
  return fmaxf(value, __shfl_xor_sync(whole_warp, value, 2));
}
__device__ float quad_sum(float value) {
  value += __shfl_xor_sync(whole_warp, value, 1);
  return value + __shfl_xor_sync(whole_warp, value, 2);
}

// Scores become powers of two relative to the new maximum; gives what older ones shrink by.
template <int across>
__device__ float soften(float (&scores)[across][4], int half, float scale_log2, float& maximum,
                        float& sum) {
  float largest = maximum;
#pragma unroll
  for (int j = 0; j < across; ++j)
    largest = fmaxf(largest, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
  largest = quad_maximum(largest);
  const float origin = largest == -INFINITY ? 0.0F : largest * scale_log2;
  const float shrink = power_of_two(maximum * scale_log2 - origin);
  sum *= shrink;
#pragma unroll
  for (int j = 0; j < across; ++j)
#pragma unroll
    for (int part = 2 * half; part < 2 * half + 2; ++part) {
      scores[j][part] = power_of_two(scores[j][part] * scale_log2 - origin);
      sum += scores[j][part];
    }
  maximum = largest;
  return shrink;
}

template <int columns>
__device__ void multiply_half(float (&sum)[columns][4], int half, float factor) {
#pragma unroll
  for (int j = 0; j < columns; ++j) {
    sum[j][2 * half] *= factor;
    sum[j][2 * half + 1] *= factor;
  }
}

// The output so far shrinks only where a maximum grew, which soon becomes rare.
template <int down, int across, int columns>
__device__ void add_softmax(float (&scores)[down][across][4], float scale_log2,
                            Softmax<down>& softmax, float (&output)[down][columns][4]) {
#pragma unroll
  for (int i = 0; i < down; ++i) {
    const float upper = soften(scores[i], 0, scale_log2, softmax.maximum[i][0], softmax.sum[i][0]);
    const float lower = soften(scores[i], 1, scale_log2, softmax.maximum[i][1], softmax.sum[i][1]);
    if (__any_sync(whole_warp, upper != 1.0F || lower != 1.0F)) {
      multiply_half(output[i], 0, upper);
      multiply_half(output[i], 1, lower);
    }
  }
}

// Divides the output by the sums and writes the statistics; a row without keys has the sum 0.
template <int down, int columns>
__device__ void finish(const Arguments& a, Softmax<down>& softmax, Index statistics, int own_row,
                       int rows, float (&output)[down][columns][4]) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = quad_sum(softmax.sum[i][half]);
      const bool blind = sum == 0.0F;
      multiply_half(output[i], half, blind ? 0.0F : 1.0F / sum);
      const int row = own_row + 16 * i + row_of_part(2 * half);
      if (lane_number() % 4 == 0 && row < rows)
        a.log_sum_exp[statistics + row] =
            blind ? -INFINITY : softmax.maximum[i][half] * a.s.scale + logf(sum);
    }
}

template <class T>
__global__ void __launch_bounds__(attention_threads, T::blocks_at_once)
    forward_kernel(Arguments a) {
  const AttentionLayout& s = a.s;
  const auto block = QueryBlock::of<T>(s);
  const Sight& sight = block.sight;
  if (block.first >= sight.queries) return;
  const KeysAndValues<T> keys_and_values(s, a.key, a.value, block);
  T::query_tile().fetch(query_rows(a.query, s.query_stride, sight, block.head, s.head_size),
                        block.first);
  keys_and_values.fetch(block.seen.first / T::keys);

  float output[T::down][T::columns][4];
  clear(output);
  Softmax<T::down> softmax;
  softmax.clear();
  for_seen_tiles(keys_and_values, block, [&](int tile, RowRange keys) {
    float scores[T::down][T::across][4];
    clear(scores);
    add_rows_by_rows(T::query_tile(), block.own_row, T::key_tile(tile), scores);
    hide_unseen(scores, block, keys);
    add_softmax(scores, s.scale * log2_of_e, softmax, output);
    add_product(scores, T::value_tile(tile), output);
  });
  finish(a, softmax, block.head * s.query_rows + sight.first_query, block.first + block.own_row,
         sight.queries, output);
  store_rows(output, T::query_tile(), block.own_row,
             query_rows(a.output, s.output_stride, sight, block.head, s.head_size), block.first);
}

}  // namespace

void attention_forward_on_tensor_cores(const AttentionForward& a, const Stream& stream) {
  const AttentionLayout s = filled_in(a.shape);
  if (s.query_rows == 0) return;
  constexpr const Bfloat16* kind = nullptr;
  const Arguments arguments{s,
                            elements(a.query, kind),
                            elements(a.key, kind),
                            elements(a.value, kind),
                            elements(a.output, kind),
                            a.log_sum_exp};
  with_tile_head(s.head_size, [&](auto head) {
    using T = Tiles<decltype(head)::value>;
    launch(forward_kernel<T>,
           shape_for(s.query_rows, s.sequences, T::queries, s.query_heads, T::shared_bytes), stream,
           arguments);
  });
}

}  // namespace quintet::kernels::cuda
