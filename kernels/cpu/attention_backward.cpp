// A tile of keys against tile after tile of queries: the scores are made again from log_sum_exp
// (FlashAttention-2, algorithm 2). The gradient of a query is summed up over key tiles in the
// workspace.
#include "kernels/cpu/attention_tiles.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr Index head_limit = attention_head_limit;

struct BackwardScratch {
  alignas(64) float query[query_tile * head_limit];
  alignas(64) float output_gradient[query_tile * head_limit];
  alignas(64) float key[key_tile * head_limit];
  alignas(64) float key_columns[head_limit * key_tile];
  alignas(64) float value_columns[head_limit * key_tile];
  alignas(64) float key_gradient[key_tile * head_limit];
  alignas(64) float value_gradient[key_tile * head_limit];
  alignas(64) float probability[query_tile * key_tile];
  alignas(64) float score_gradient[query_tile * key_tile];
  alignas(64) float turned[key_tile * query_tile];  // one of the two above, transposed
};

// Parts of the workspace; rows of a head lie one after the other, filled up to whole vectors never.
struct Workspace {
  float* query_gradient;  // [heads, queries, head_size]
  float* delta;           // [heads, queries]: output . output_gradient
};

Workspace workspace_of(const AttentionBackward& a) {
  const Index rows = a.shape.query_starts[a.shape.sequences] * a.shape.query_heads;
  return {a.workspace, a.workspace + rows * a.shape.head_size};
}

Index workspace_row(const AttentionBackward& a, const HeadRows& head, Index query) {
  return head.head * a.shape.query_starts[a.shape.sequences] + head.first_query + query;
}

template <class Element>
void make_delta(const AttentionBackward& a, Element* kind) {
  const Index size = a.shape.head_size;
  const Index queries = a.shape.query_starts[a.shape.sequences];
  const Workspace workspace = workspace_of(a);
  for (Index row = 0; row < queries; ++row)
    for (Index head = 0; head < a.shape.query_heads; ++head) {
      const Index offset = row * output_stride(a.shape) + head * size;
      const Element* const output = elements(a.output, kind) + offset;
      const Element* const gradient = elements(a.output_gradient, kind) + offset;
      workspace.delta[head * queries + row] = sum_over(size, [&](Index at, Index left) {
        return load(output + at, left) * load(gradient + at, left);
      });
    }
}

template <class Element>
void pack_keys(const AttentionBackward& a, const HeadRows& head, RowRange keys,
               BackwardScratch& scratch, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index size = shape.head_size;
  const Index row = head.first_key + keys.first;
  const auto* const key = elements(a.key, kind) + row * key_stride(shape) + head.key_head * size;
  const auto* const value =
      elements(a.value, kind) + row * value_stride(shape) + head.key_head * size;
  pack_rows(key, key_stride(shape), keys.count, size, {scratch.key, whole_lanes(size)});
  pack_columns(key, key_stride(shape), keys.count, size, key_tile, {scratch.key_columns, key_tile});
  pack_columns(value, value_stride(shape), keys.count, size, key_tile,
               {scratch.value_columns, key_tile});
  fill_zero(scratch.key_gradient, key_tile * whole_lanes(size));
  fill_zero(scratch.value_gradient, key_tile * whole_lanes(size));
}

// A row of scores with what the row's softmax is known by.
struct ScoreRow {
  Index query = 0;  // in the sequence
  float* probability = nullptr;
  float* gradient = nullptr;
  float log_sum_exp = 0, delta = 0;
};

// Scores become probabilities, and their gradients those of the raw products.
void soften_row(const AttentionBackward& a, const HeadRows& head, RowRange keys,
                const ScoreRow& row) {
  float *const probability = row.probability, *const gradient = row.gradient;
  const Seen seen = within(seen_keys(a.shape, head, row.query), keys);
  if (seen.end <= 0 || seen.first >= keys.count) {
    fill_zero(probability, key_tile);
    return fill_zero(gradient, key_tile);
  }
  const Index end = whole_lanes(seen.end);
  fill_zero(probability + end, key_tile - end);
  fill_zero(gradient + end, key_tile - end);
  const bool drops = a.shape.dropout.probability > 0.0F;
  Kept kept;
  if (drops) fill_kept(a.shape, head, row.query, keys.first, kept);
  for (Index at = 0; at < end; at += lane_count) {
    const Lanes score = masked_scores(probability, at, seen, a.shape.scale);
    const Lanes power = exponential(score - row.log_sum_exp);
    const Lanes factor = drops ? load(kept.factor + at, lane_count) : lanes(1.0F);
    const Lanes upstream = load(gradient + at, lane_count) * factor - row.delta;
    store(probability + at, power * factor, lane_count);
    store(gradient + at, power * upstream * a.shape.scale, lane_count);
  }
}

template <class Element>
void score_tile(const AttentionBackward& a, const HeadRows& head, RowRange queries, RowRange keys,
                BackwardScratch& scratch, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index size = shape.head_size;
  const Index width = whole_lanes(size);
  const Index row = head.first_query + queries.first;
  pack_rows(elements(a.query, kind) + row * query_stride(shape) + head.head * size,
            query_stride(shape), queries.count, size, {scratch.query, width});
  pack_rows(elements(a.output_gradient, kind) + row * output_stride(shape) + head.head * size,
            output_stride(shape), queries.count, size, {scratch.output_gradient, width});
  for_seen_rows(shape, head, {queries, keys}, [&](Index first, Index rows, Index seen) {
    multiply_tile({scratch.query + first * width, width}, {scratch.key_columns, key_tile},
                  {scratch.probability + first * key_tile, key_tile}, rows, whole_lanes(seen), size,
                  TileWrite::overwrite);
    multiply_tile({scratch.output_gradient + first * width, width},
                  {scratch.value_columns, key_tile},
                  {scratch.score_gradient + first * key_tile, key_tile}, rows, whole_lanes(seen),
                  size, TileWrite::overwrite);
  });
  const Workspace workspace = workspace_of(a);
  for (Index query = 0; query < queries.count; ++query) {
    const Index at = workspace_row(a, head, queries.first + query);
    soften_row(a, head, keys,
               {queries.first + query, scratch.probability + query * key_tile,
                scratch.score_gradient + query * key_tile, a.log_sum_exp[at], workspace.delta[at]});
  }
}

// The first query of the tile that sees the key, or one past its last.
Index first_to_see(const AttentionLayout& shape, const HeadRows& head, TilePair tile, Index key) {
  Index query = 0;
  while (query < tile.queries.count && keys_seen(shape, head, tile, query + 1) <= key) ++query;
  return query;
}

// to[key, column] += sum over queries of scores[query, key] * rows[query, column].
void add_turned(const AttentionLayout& shape, const HeadRows& head, TilePair tile,
                BackwardScratch& scratch, const float* scores, float* rows, float* to) {
  const Index width = whole_lanes(shape.head_size), queries = tile.queries.count;
  pack_columns(scores, key_tile, queries, key_tile, queries, {scratch.turned, query_tile});
  for (Index key = 0; key < tile.keys.count; key += rows_at_once) {
    const Index keys = tile_of(key, tile.keys.count, rows_at_once).count;
    const Index first = first_to_see(shape, head, tile, key);
    multiply_tile({scratch.turned + key * query_tile + first, query_tile},
                  {rows + first * width, width}, {to + key * width, width}, keys, width,
                  queries - first, TileWrite::add);
  }
}

// Through a tile that has room for whole vectors where the workspace's rows have none.
void add_query_gradient(const AttentionBackward& a, const HeadRows& head, RowRange queries,
                        RowRange keys, BackwardScratch& scratch) {
  const Index size = a.shape.head_size;
  const Index width = whole_lanes(size);
  float* const to = workspace_of(a).query_gradient + workspace_row(a, head, queries.first) * size;
  const bool fits = width == size;
  float* const sums = fits ? to : scratch.query;
  for_seen_rows(a.shape, head, {queries, keys}, [&](Index row, Index rows, Index seen) {
    multiply_tile({scratch.score_gradient + row * key_tile, key_tile}, {scratch.key, width},
                  {sums + row * width, width}, rows, width, seen,
                  fits ? TileWrite::add : TileWrite::overwrite);
  });
  if (fits) return;
  for (Index row = 0; row < queries.count; ++row)
    for_lanes(size, [&](Index at, Index left) {
      float* const sum = to + row * size + at;
      store(sum, load(sum, left) + load(scratch.query + row * width + at, left), left);
    });
}

template <class Element>
void add_query_tile(const AttentionBackward& a, const HeadRows& head, RowRange queries,
                    RowRange keys, BackwardScratch& scratch, Element* kind) {
  const TilePair tile{queries, keys};
  score_tile(a, head, queries, keys, scratch, kind);
  add_turned(a.shape, head, tile, scratch, scratch.probability, scratch.output_gradient,
             scratch.value_gradient);
  add_turned(a.shape, head, tile, scratch, scratch.score_gradient, scratch.query,
             scratch.key_gradient);
  add_query_gradient(a, head, queries, keys, scratch);
}

template <class Element>
void store_rows(const float* from, Index width, Index rows, Index columns, Element* to,
                Index stride) {
  for (Index row = 0; row < rows; ++row)
    for_lanes(columns, [&](Index at, Index left) {
      store(to + row * stride + at, load(from + row * width + at, left), left);
    });
}

// All query heads that share these keys, in order.
template <class Element>
void back_key_tile(const AttentionBackward& a, Index sequence, Index key_head, RowRange keys,
                   BackwardScratch& scratch, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index size = shape.head_size;
  const Index group = shape.query_heads / shape.key_heads;
  const HeadRows first = head_rows(shape, sequence, key_head * group);
  pack_keys(a, first, keys, scratch, kind);
  for (Index member = 0; member < group; ++member) {
    const HeadRows head = head_rows(shape, sequence, key_head * group + member);
    for (Index query = 0; query < head.queries; query += query_tile) {
      const RowRange queries = tile_of(query, head.queries, query_tile);
      if (visible_keys(shape.mask, head, query + queries.count - 1) > keys.first &&
          seen_keys(shape, head, query).first < keys.first + keys.count)
        add_query_tile(a, head, queries, keys, scratch, kind);
    }
  }
  const Index row = first.first_key + keys.first;
  store_rows(scratch.key_gradient, whole_lanes(size), keys.count, size,
             elements(a.key_gradient, kind) + row * key_stride(shape) + key_head * size,
             key_stride(shape));
  store_rows(scratch.value_gradient, whole_lanes(size), keys.count, size,
             elements(a.value_gradient, kind) + row * value_stride(shape) + key_head * size,
             value_stride(shape));
}

template <class Element>
void back(const AttentionBackward& a, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index queries = shape.query_starts[shape.sequences];
  const Index size = shape.head_size;
  const Workspace workspace = workspace_of(a);
  BackwardScratch scratch;
  make_delta(a, kind);
  fill_zero(workspace.query_gradient, queries * shape.query_heads * size);
  for (Index sequence = 0; sequence < shape.sequences; ++sequence)
    for (Index key_head = 0; key_head < shape.key_heads; ++key_head) {
      const Index keys = shape.key_starts[sequence + 1] - shape.key_starts[sequence];
      for (Index key = 0; key < keys; key += key_tile)
        back_key_tile(a, sequence, key_head, tile_of(key, keys, key_tile), scratch, kind);
    }
  for (Index head = 0; head < shape.query_heads; ++head)
    store_rows(workspace.query_gradient + head * queries * size, size, queries, size,
               elements(a.query_gradient, kind) + head * size, query_stride(shape));
}

}  // namespace

void CpuKernels::attention_backward(const AttentionBackward& a, Stream&) {
  assert(a.shape.head_size <= attention_head_limit);
  assert(a.shape.query_heads % a.shape.key_heads == 0);
  with_element(a.query.type, [&](auto* kind) { back(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
