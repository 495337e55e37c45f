// The gradients of queries: over the keys for each tile of queries.
#include "kernels/cuda/attention/attention_backward.h"
#include "kernels/cuda/attention/attention_query_block.h"

namespace quintet::kernels::cuda {

namespace {

template <int head_>
struct QueryTiles {
  static constexpr int head = head_;
  static constexpr int queries = 128, keys = 32;
  static constexpr int own = queries / attention_warps;
  static constexpr int down = own / 16, across = keys / 8, columns = head / 8;
  static constexpr int blocks_at_once = 2;  // on a multiprocessor that has the shared memory
  using Queries = Tile<queries, head>;
  using Keys = Tile<keys, head>;
  static constexpr int statistics = 2 * Queries::elements + 4 * Keys::elements;  // after the tiles
  static constexpr std::size_t shared_bytes =
      statistics * sizeof(Bfloat16) + 2 * queries * sizeof(float);

  __device__ static float* score_starts() { return floats_at(statistics); }
  __device__ static float* gradient_starts() { return score_starts() + queries; }
  __device__ static Queries query_tile() { return tile_at<Queries>(0); }
  __device__ static Queries upstream_tile() { return tile_at<Queries>(Queries::elements); }
  __device__ static Keys key_tile(int number) {
    return tile_at<Keys>(2 * Queries::elements + number % 2 * (2 * Keys::elements));
  }
  __device__ static Keys value_tile(int number) {
    return {key_tile(number).memory + Keys::elements};
  }
};

// Every row of the sums begins with its query's number.
template <int down, int across>
__device__ void begin_rows(float (&sum)[down][across][4], const float* starts) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const float start = starts[16 * i + row_of_part(part)];
#pragma unroll
      for (int j = 0; j < across; ++j) sum[i][j][part] = start;
    }
}

// The gradients of a tile of queries.
template <class T>
__global__ void __launch_bounds__(attention_threads, T::blocks_at_once)
    query_kernel(AttentionGradients a) {
  const AttentionLayout& s = a.s;
  const auto block = QueryBlock::of<T>(s);
  const Sight& sight = block.sight;
  if (block.first >= sight.queries) return;
  const KeysAndValues<T> keys_and_values(s, a.key, a.value, block);
  T::query_tile().fetch(query_rows(a.query, s.query_stride, sight, block.head, s.head_size),
                        block.first);
  T::upstream_tile().fetch(query_rows(a.upstream, s.output_stride, sight, block.head, s.head_size),
                           block.first);
  fetch_starts<T::queries>(a, sight, block.head, block.first, T::score_starts());
  keys_and_values.fetch(block.seen.first / T::keys);

  float gradient[T::down][T::columns][4];
  clear(gradient);
  for_seen_tiles(keys_and_values, block, [&](int tile, RowRange keys) {
    float scores[T::down][T::across][4], of_probability[T::down][T::across][4];
    begin_rows(scores, T::score_starts() + block.own_row);
    add_rows_by_rows(T::query_tile(), block.own_row, T::key_tile(tile), scores);
    hide_unseen(scores, block, keys);
    make_probabilities(scores, s.scale * log2_of_e);
    __syncwarp();  // lets the compiler begin no product early: it has no registers for that
    begin_rows(of_probability, T::gradient_starts() + block.own_row);
    add_rows_by_rows(T::upstream_tile(), block.own_row, T::value_tile(tile), of_probability);
    make_score_gradients(scores, of_probability);
    __syncwarp();
    add_product(scores, T::key_tile(tile), gradient);
  });
  multiply(gradient, s.scale);
  store_rows(gradient, T::query_tile(), block.own_row,
             query_rows(a.query_gradient, s.query_stride, sight, block.head, s.head_size),
             block.first);
}

}  // namespace

void attention_query_gradients(const AttentionGradients& a, const Stream& stream) {
  const AttentionLayout& s = a.s;
  if (s.query_rows == 0) return;
  with_tile_head(s.head_size, [&](auto head) {
    using T = QueryTiles<decltype(head)::value>;
    launch(query_kernel<T>,
           shape_for(s.query_rows, s.sequences, T::queries, s.query_heads, T::shared_bytes), stream,
           a);
  });
}

}  // namespace quintet::kernels::cuda
