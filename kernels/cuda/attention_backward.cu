// FlashAttention-2's backward pass (https://arxiv.org/abs/2307.08691, algorithm 2) without its
// atomic sums, which come in any order: one kernel goes over the queries for each tile of keys, a
// second one over the keys for each tile of queries, and each makes the probabilities again. The
// first takes scores as [keys][queries], so that in both the probabilities are the next product's
// left side in the registers where they are. What is subtracted from a product is where its sum
// begins.
#include "kernels/cuda/attention_tensor.h"
#include "kernels/cuda/attention_tile.h"
#include "kernels/cuda/launch.h"

namespace quintet::kernels::cuda {

namespace {

constexpr float log2_of_e = 1.4426950408889634F;

struct Arguments {
  AttentionShape s;
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

// 16 lanes to a row of a head, each a chunk of it.
constexpr int row_lanes = 16, rows_at_once = attention_threads / row_lanes;

__global__ void __launch_bounds__(attention_threads) statistics_kernel(Arguments a) {
  const AttentionShape& s = a.s;
  constexpr int chunk = pack_size<Bfloat16>;
  const int own = static_cast<int>(threadIdx.x) % row_lanes;
  const Index number = static_cast<Index>(blockIdx.x) * rows_at_once + threadIdx.x / row_lanes;
  const Index row = number / s.query_heads, head = number % s.query_heads;
  const bool there = row < s.query_rows;
  float sum = 0.0F;
  if (there && own * chunk < s.head_size) {
    const Index place = row * s.output_stride + head * s.head_size + own * chunk;
    float output[chunk], upstream[chunk];
    load_pack(a.output + place, output);
    load_pack(a.upstream + place, upstream);
#pragma unroll
    for (int i = 0; i < chunk; ++i) sum += output[i] * upstream[i];
  }
#pragma unroll
  for (int distance = row_lanes / 2; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(whole_warp, sum, distance);
  if (!there || own != 0) return;
  const Index to = head * s.query_rows + row;
  const float log_sum = a.log_sum_exp[to];
  a.gradient_start[to] = -sum;
  a.score_start[to] = log_sum == -INFINITY ? -INFINITY : -log_sum / s.scale;  // e^-inf: sees no key
}

template <class Tile>
__device__ Tile tile_at(int element) {
  return {reinterpret_cast<Bfloat16*>(dynamic_shared()) + element};
}

__device__ float* floats_at(int element) {
  return reinterpret_cast<float*>(dynamic_shared() + element * sizeof(Bfloat16));
}

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

// The scores' starts of a tile of queries, and after them the gradients'.
template <int queries>
__device__ void fetch_starts(const Arguments& a, const Sight& sight, int head, int first,
                             float* to) {
  for (int at = static_cast<int>(threadIdx.x); at < 2 * queries; at += attention_threads) {
    const int query = first + at % queries;
    const bool there = query < sight.queries;
    const Index place = head * a.s.query_rows + sight.first_query + (there ? query : 0);
    copy_async_4_or_zero(to + at, (at < queries ? a.score_start : a.gradient_start) + place, there);
  }
}

// One tile of queries of one head of the group; queries beyond the sequence have 0 everywhere and
// add nothing.
template <class T>
__device__ void fetch_queries(const Arguments& a, const Sight& sight, int head, int first,
                              int number) {
  const AttentionShape& s = a.s;
  T::query_tile(number).fetch(
      head_rows(a.query, s.query_stride, sight.first_query, sight.queries, head, s.head_size),
      first);
  T::upstream_tile(number).fetch(
      head_rows(a.upstream, s.output_stride, sight.first_query, sight.queries, head, s.head_size),
      first);
  fetch_starts<T::queries>(a, sight, head, first, T::score_starts(number));
}

// Every column (row) of the sums begins with its query's number.
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
__global__ void __launch_bounds__(attention_threads, T::blocks_at_once) key_kernel(Arguments a) {
  const AttentionShape& s = a.s;
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
  T::key_tile().fetch(
      head_rows(a.key, s.key_stride, sight.first_key, sight.keys, key_head, s.head_size), first);
  T::value_tile().fetch(
      head_rows(a.value, s.value_stride, sight.first_key, sight.keys, key_head, s.head_size),
      first);
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
  store_rows(
      of_key, T::key_tile(), own_row,
      head_rows(a.key_gradient, s.key_stride, sight.first_key, sight.keys, key_head, s.head_size),
      first);
  store_rows(of_value, T::value_tile(), own_row,
             head_rows(a.value_gradient, s.value_stride, sight.first_key, sight.keys, key_head,
                       s.head_size),
             first);
}

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

// The gradients of a tile of queries.
template <class T>
__global__ void __launch_bounds__(attention_threads, T::blocks_at_once) query_kernel(Arguments a) {
  const AttentionShape& s = a.s;
  // Under a causal mask the last tiles have most keys: they come first.
  const SequenceTile place = tile_in_slot(s.query_starts, s.sequences, T::queries,
                                          static_cast<Index>(gridDim.x - 1 - blockIdx.x));
  const Sight sight = Sight::of(s, place.sequence);
  if (place.first_row >= sight.queries) return;
  const int head = static_cast<int>(blockIdx.y);
  const int key_head = head / static_cast<int>(s.query_heads / s.key_heads);
  const int first = static_cast<int>(place.first_row);
  const RowRange seen = sight.keys_of(rows_within(first, T::queries, sight.queries));
  const int own_row = warp_number() * T::own;
  const RowRange own = rows_within(first + own_row, T::own, sight.queries);
  const RowRange own_seen = sight.keys_of(own), all_seen = sight.keys_of_all(own);

  const auto key =
      head_rows(a.key, s.key_stride, sight.first_key, sight.keys, key_head, s.head_size);
  const auto value =
      head_rows(a.value, s.value_stride, sight.first_key, sight.keys, key_head, s.head_size);
  const int end_tile = (seen.end + T::keys - 1) / T::keys;
  const auto fetch = [&](int tile) {
    if (tile < end_tile) {
      T::key_tile(tile).fetch(key, tile * T::keys);
      T::value_tile(tile).fetch(value, tile * T::keys);
    }
    end_copy_group();
  };
  T::query_tile().fetch(
      head_rows(a.query, s.query_stride, sight.first_query, sight.queries, head, s.head_size),
      first);
  T::upstream_tile().fetch(
      head_rows(a.upstream, s.output_stride, sight.first_query, sight.queries, head, s.head_size),
      first);
  fetch_starts<T::queries>(a, sight, head, first, T::score_starts());
  fetch(seen.first / T::keys);

  float gradient[T::down][T::columns][4];
  clear(gradient);
  for (int tile = seen.first / T::keys; tile < end_tile; ++tile) {
    wait_for_copies<0>();
    __syncthreads();  // the tile is there, and the one before it is read
    fetch(tile + 1);
    const RowRange keys{tile * T::keys, (tile + 1) * T::keys};
    if (!keys.meets(own_seen)) continue;
    float scores[T::down][T::across][4], of_probability[T::down][T::across][4];
    begin_rows(scores, T::score_starts() + own_row);
    add_rows_by_rows(T::query_tile(), own_row, T::key_tile(tile), scores);
    if (!all_seen.holds(keys))
      hide_outside(scores, own_row, [&](int row) {
        const RowRange range = sight.keys_of(first + row);
        return RowRange{range.first - keys.first, range.end - keys.first};
      });
    make_probabilities(scores, s.scale * log2_of_e);
    __syncwarp();  // lets the compiler begin no product early: it has no registers for that
    begin_rows(of_probability, T::gradient_starts() + own_row);
    add_rows_by_rows(T::upstream_tile(), own_row, T::value_tile(tile), of_probability);
    make_score_gradients(scores, of_probability);
    __syncwarp();
    add_product(scores, T::key_tile(tile), gradient);
  }
  wait_for_copies<0>();
  __syncthreads();  // queries without keys: their copies are over
  multiply(gradient, s.scale);
  store_rows(gradient, T::query_tile(), own_row,
             head_rows(a.query_gradient, s.query_stride, sight.first_query, sight.queries, head,
                       s.head_size),
             first);
}

Arguments arguments_of(const AttentionBackward& a, const AttentionShape& s) {
  constexpr const Bfloat16* kind = nullptr;
  return {s,
          elements(a.query, kind),
          elements(a.key, kind),
          elements(a.value, kind),
          elements(a.output, kind),
          elements(a.output_gradient, kind),
          a.log_sum_exp,
          a.workspace,
          a.workspace + s.query_rows * s.query_heads,
          elements(a.query_gradient, kind),
          elements(a.key_gradient, kind),
          elements(a.value_gradient, kind)};
}

Shape shape_for(Index rows, Index sequences, int tile, Index heads, std::size_t shared_bytes) {
  return {
      dim3(static_cast<unsigned>(tile_slots(rows, sequences, tile)), static_cast<unsigned>(heads)),
      dim3(attention_threads), shared_bytes};
}

}  // namespace

void attention_backward_on_tensor_cores(const AttentionBackward& a, const Stream& stream) {
  const AttentionShape s = filled_in(a.shape);
  const Arguments arguments = arguments_of(a, s);
  const Index rows = s.query_rows * s.query_heads;
  if (rows > 0)
    launch(statistics_kernel, {dim3(blocks_for(rows, rows_at_once)), dim3(attention_threads)},
           stream, arguments);
  with_tile_head(s.head_size, [&](auto head) {
    using Keys = KeyTiles<decltype(head)::value>;
    using Queries = QueryTiles<decltype(head)::value>;
    if (s.key_rows > 0)
      launch(key_kernel<Keys>,
             shape_for(s.key_rows, s.sequences, Keys::keys, s.key_heads, Keys::shared_bytes),
             stream, arguments);
    if (s.query_rows > 0)
      launch(query_kernel<Queries>,
             shape_for(s.query_rows, s.sequences, Queries::queries, s.query_heads,
                       Queries::shared_bytes),
             stream, arguments);
  });
}

}  // namespace quintet::kernels::cuda
