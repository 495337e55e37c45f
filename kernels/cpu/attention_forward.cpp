// A tile of queries against tile after tile of keys, with the running maximum and sum of
// FlashAttention-2, algorithm 1.
#include <type_traits>

#include "kernels/cpu/attention_tiles.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

struct ForwardScratch {
  alignas(64) float query[query_tile * attention_head_limit];
  alignas(64) float key_columns[attention_head_limit * key_tile];
  alignas(64) float value[key_tile * attention_head_limit];
  alignas(64) float output[query_tile * attention_head_limit];
  alignas(64) float scores[query_tile * key_tile];
  float maximum[query_tile];
  float sum[query_tile];
};

// What was summed up under an older maximum is scaled down; nothing was under none.
void shrink_row(ForwardScratch& scratch, Index row, Index width, float before, float maximum) {
  if (before == -__builtin_inff() || before == maximum) return;
  const float shrink = lane_of(exponential_below(lanes(before - maximum)), 0);
  scratch.sum[row] *= shrink;
  float* const output = scratch.output + row * width;
  for (Index at = 0; at < width; at += lane_count)
    store(output + at, load(output + at, lane_count) * shrink, lane_count);
}

// Products become exp(score - maximum). The row has whole vectors of them up to `end`, the rest
// becomes 0.
void soften_row(ForwardScratch& scratch, Index row, Index width, Seen seen, float scale) {
  float* const scores = scratch.scores + row * key_tile;
  const Index end = seen.end <= 0 ? 0 : whole_lanes(seen.end);
  for (Index at = end; at < key_tile; at += lane_count) store(scores + at, Lanes{}, lane_count);
  Lanes largest = lanes(-__builtin_inff());
  for (Index at = 0; at < end; at += lane_count) {
    const Lanes score = masked_scores(scores, at, seen, scale);
    store(scores + at, score, lane_count);
    largest = at == 0 ? score : larger(score, largest);
  }
  const float before = scratch.maximum[row], tile_maximum = largest_lane(largest);
  const float maximum = tile_maximum > before ? tile_maximum : before;
  if (maximum == -__builtin_inff()) return fill_zero(scores, end);
  shrink_row(scratch, row, width, before, maximum);
  Lanes total{};
  for (Index at = 0; at < end; at += lane_count) {
    const Lanes power = exponential_below(load(scores + at, lane_count) - maximum);
    store(scores + at, power, lane_count);
    total += power;
  }
  scratch.maximum[row] = maximum;
  scratch.sum[row] += sum_of_lanes(total);
}

void drop_row(const AttentionLayout& shape, const HeadRows& head, Index query, RowRange keys,
              float* probabilities) {
  Kept kept;
  fill_kept(shape, head, query, keys.first, kept);
  for (Index at = 0; at < key_tile; at += lane_count)
    store(probabilities + at,
          load(probabilities + at, lane_count) * load(kept.factor + at, lane_count), lane_count);
}

template <class Element>
void add_key_tile(const AttentionForward& a, const HeadRows& head, RowRange queries, RowRange keys,
                  ForwardScratch& scratch, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index size = shape.head_size;
  const Index width = whole_lanes(size);
  const Index key_row = head.first_key + keys.first;
  pack_columns(elements(a.key, kind) + key_row * key_stride(shape) + head.key_head * size,
               key_stride(shape), keys.count, size, key_tile, {scratch.key_columns, key_tile});
  const TilePair tile{queries, keys};
  for_seen_rows(shape, head, tile, [&](Index row, Index rows, Index seen) {
    multiply_tile({scratch.query + row * width, width}, {scratch.key_columns, key_tile},
                  {scratch.scores + row * key_tile, key_tile}, rows, whole_lanes(seen), size,
                  TileWrite::overwrite);
  });
  for (Index row = 0; row < queries.count; ++row) {
    const Index query = queries.first + row;
    soften_row(scratch, row, width, within(seen_keys(shape, head, query), keys), shape.scale);
    if (shape.dropout.probability > 0.0F)
      drop_row(shape, head, query, keys, scratch.scores + row * key_tile);
  }
  pack_rows(elements(a.value, kind) + key_row * value_stride(shape) + head.key_head * size,
            value_stride(shape), keys.count, size, {scratch.value, width});
  for_seen_rows(shape, head, tile, [&](Index row, Index rows, Index seen) {
    multiply_tile({scratch.scores + row * key_tile, key_tile}, {scratch.value, width},
                  {scratch.output + row * width, width}, rows, width, seen, TileWrite::add);
  });
}

template <class Element>
void finish_queries(const AttentionForward& a, const HeadRows& head, RowRange queries,
                    const ForwardScratch& scratch, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index width = whole_lanes(shape.head_size);
  const Index all_queries = shape.query_starts[shape.sequences];
  for (Index row = 0; row < queries.count; ++row) {
    const Index at_row = head.first_query + queries.first + row;
    const float sum = scratch.sum[row];
    const float inverse = sum > 0.0F ? 1.0F / sum : (sum == 0.0F ? 0.0F : sum);
    Element* const to =
        elements(a.output, kind) + at_row * output_stride(shape) + head.head * shape.head_size;
    for_lanes(shape.head_size, [&](Index at, Index left) {
      store(to + at, load(scratch.output + row * width + at, lane_count) * inverse, left);
    });
    const auto log_sum = static_cast<float>(logarithm(static_cast<double>(sum)));
    a.log_sum_exp[head.head * all_queries + at_row] =
        sum == 0.0F ? -__builtin_inff() : scratch.maximum[row] + log_sum;
  }
}

template <class Element>
void attend(const AttentionForward& a, const HeadRows& head, RowRange queries,
            ForwardScratch& scratch, Element* kind) {
  const AttentionLayout& shape = a.shape;
  const Index width = whole_lanes(shape.head_size);
  const Index query_row = head.first_query + queries.first;
  pack_rows(elements(a.query, kind) + query_row * query_stride(shape) + head.head * shape.head_size,
            query_stride(shape), queries.count, shape.head_size, {scratch.query, width});
  fill_zero(scratch.output, queries.count * width);
  for (Index row = 0; row < queries.count; ++row) {
    scratch.maximum[row] = -__builtin_inff();
    scratch.sum[row] = 0.0F;
  }
  const Index seen = visible_keys(shape.mask, head, queries.first + queries.count - 1);
  const Index unseen = seen_keys(shape, head, queries.first).first;
  for (Index key = unseen / key_tile * key_tile; key < seen; key += key_tile)
    add_key_tile(a, head, queries, tile_of(key, head.keys, key_tile), scratch, kind);
  finish_queries(a, head, queries, scratch, kind);
}

}  // namespace

void CpuKernels::attention_forward(const AttentionForward& a, Stream&) {
  assert(a.shape.head_size <= attention_head_limit);
  assert(a.shape.query_heads % a.shape.key_heads == 0);
  ForwardScratch scratch;
  for (Index sequence = 0; sequence < a.shape.sequences; ++sequence)
    for (Index head = 0; head < a.shape.query_heads; ++head) {
      const HeadRows rows = head_rows(a.shape, sequence, head);
      for (Index query = 0; query < rows.queries; query += query_tile)
        with_element(a.query.type, [&](auto* kind) {
          attend(a, rows, tile_of(query, rows.queries, query_tile), scratch, kind);
        });
    }
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
