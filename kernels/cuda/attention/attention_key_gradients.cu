// The gradients of keys and values: over the queries for each tile of keys.
#include "kernels/cuda/attention/attention_backward.h"

namespace quintet::kernels::cuda {

namespace {

// 32 keys to a warp where the registers hold two gradients [32][head], else 16.
template <int head_>
struct KeyTiles {
  static constexpr int head = head_;
  static constexpr int own = head <= 64 ? 32 : 16, keys = attention_warps * own, queries = 32;
  static constexpr int down = own / 16, across = queries / 8, columns = head / 8;
  static constexpr int blocks_at_once = 2;  // on a multiprocessor
  using Keys = Tile<keys, head>;
  using Queries = Tile<queries, head>;
  static constexpr int stage_elements = 2 * Queries::elements;
  static constexpr int statistics = 2 * Keys::elements + 2 * stage_elements;  // after the tiles
  static constexpr std::size_t shared_bytes =
      statistics * sizeof(Bfloat16) + 4 * queries * sizeof(float);

  __device__ static Keys key_tile() { return tile_at<Keys>(0); }
  __device__ static Keys value_tile() { return tile_at<Keys>(Keys::elements); }
  __device__ static Queries query_tile(int number) {
    return tile_at<Queries>(2 * Keys::elements + number % 2 * stage_elements);
  }
  __device__ static Queries upstream_tile(int number) {
    return {query_tile(number).memory + Queries::elements};
  }
  __device__ static float* score_starts(int number) {
    return floats_at(statistics) + number % 2 * (2 * queries);
  }
  __device__ static float* gradient_starts(int number) { return score_starts(number) + queries; }
};

// One tile of queries of one head of the group; queries beyond the sequence have 0 everywhere and
// add nothing.
template <class T>
__device__ void fetch_queries(const AttentionGradients& a, const Sight& sight, int head, int first,
                              int number) {
  const AttentionLayout& s = a.s;
  T::query_tile(number).fetch(query_rows(a.query, s.query_stride, sight, head, s.head_size), first);
  T::upstream_tile(number).fetch(query_rows(a.upstream, s.output_stride, sight, head, s.head_size),
                                 first);
  fetch_starts<T::queries>(a, sight, head, first, T::score_starts(number));
}

// Every column of the sums begins with its query's number.
template <int down, int across>
__device__ void begin_columns(float (&sum)[down][across][4], const float* starts) {
#pragma unroll
  for (int j = 0; j < across; ++j)
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const float start = starts[8 * j + column_of_part(part)];
#pragma unroll
      for (int i = 0; i < down; ++i) sum[i][j][part] = start;
    }
}
// Which tile of queries, of which head of the group.
struct Turn {
  int head, tile;

  __device__ void advance(int first_tile, int end_tile) {
    if (++tile < end_tile) return;
    tile = first_tile;
    ++head;
  }
};

// The gradients of a tile of keys and values: over the heads of the group, over the queries.
template <class T>
__global__ void __launch_bounds__(attention_threads, T::blocks_at_once)
    key_kernel(AttentionGradients a) {
  const AttentionLayout& s = a.s;
  const SequenceTile place = tile_in_slot(s.key_starts, s.sequences, T::keys, blockIdx.x);
  const Sight sight = Sight::of(s, place.sequence);
  if (place.first_row >= sight.keys) return;
  const int key_head = static_cast<int>(blockIdx.y);
  const int group = static_cast<int>(s.query_heads / s.key_heads);
  const int first = static_cast<int>(place.first_row);
  const RowRange seeing = sight.queries_of(rows_within(first, T::keys, sight.keys));
  const int own_row = warp_number() * T::own;
  const RowRange own = rows_within(first + own_row, T::own, sight.keys);
  const RowRange own_seeing = sight.queries_of(own), all_seeing = sight.queries_of_all(own);

  const Turn start{0, seeing.first / T::queries};
  const int end_tile = (seeing.end + T::queries - 1) / T::queries;
  const int turns = seeing.first < seeing.end ? group * (end_tile - start.tile) : 0;
  Turn ahead = start, now = start;
  const auto fetch = [&](int number) {
    if (number < turns) {
      fetch_queries<T>(a, sight, key_head * group + ahead.head, ahead.tile * T::queries, number);
      ahead.advance(start.tile, end_tile);
    }
    end_copy_group();
  };
  T::key_tile().fetch(key_rows(a.key, s.key_stride, sight, key_head, s.head_size), first);
  T::value_tile().fetch(key_rows(a.value, s.value_stride, sight, key_head, s.head_size), first);
  fetch(0);

  float of_key[T::down][T::columns][4], of_value[T::down][T::columns][4];
  clear(of_key);
  clear(of_value);
  for (int number = 0; number < turns; ++number, now.advance(start.tile, end_tile)) {
    wait_for_copies<0>();
    __syncthreads();  // the tile is there, and the one before it is read
    fetch(number + 1);
    const int first_query = now.tile * T::queries;
    const RowRange queries{first_query, first_query + T::queries};
    if (!queries.meets(own_seeing)) continue;
    float scores[T::down][T::across][4], of_probability[T::down][T::across][4];
    begin_columns(scores, T::score_starts(number));
    add_rows_by_rows(T::key_tile(), own_row, T::query_tile(number), scores);
    if (!all_seeing.holds(queries))
      hide_outside(scores, own_row, [&](int row) {
        const RowRange range = sight.queries_of(first + row);
        return RowRange{range.first - first_query, range.end - first_query};
      });
    make_probabilities(scores, s.scale * log2_of_e);
    add_product(scores, T::upstream_tile(number), of_value);
    begin_columns(of_probability, T::gradient_starts(number));
    add_rows_by_rows(T::value_tile(), own_row, T::upstream_tile(number), of_probability);
    make_score_gradients(scores, of_probability);
    add_product(scores, T::query_tile(number), of_key);
  }
  wait_for_copies<0>();
  __syncthreads();  // keys that no query sees: their copies are over
  multiply(of_key, s.scale);
  store_rows(of_key, T::key_tile(), own_row,
             key_rows(a.key_gradient, s.key_stride, sight, key_head, s.head_size), first);
  store_rows(of_value, T::value_tile(), own_row,
             key_rows(a.value_gradient, s.value_stride, sight, key_head, s.head_size), first);
}

}  // namespace

void attention_key_gradients(const AttentionGradients& a, const Stream& stream) {
  const AttentionLayout& s = a.s;
  if (s.key_rows == 0) return;
  with_tile_head(s.head_size, [&](auto head) {
    using T = KeyTiles<decltype(head)::value>;
    launch(key_kernel<T>, shape_for(s.key_rows, s.sequences, T::keys, s.key_heads, T::shared_bytes),
           stream, a);
  });
}

}  // namespace quintet::kernels::cuda
