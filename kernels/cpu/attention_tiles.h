// What the passes of attention share: where a head's rows lie, and which keys a query sees.
#pragma once

#include "kernels/attention.h"
#include "kernels/cpu/functions.h"
#include "kernels/cpu/random_words.h"
#include "kernels/cpu/tile.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Tiles start at multiples of this many keys of a sequence, so that no sum depends on how queries,
// heads or sequences are split.
constexpr Index key_tile = 64;
constexpr Index query_tile = 64;
constexpr Index rows_at_once = 12;  // of a tile; a multiple of a product's rows in registers

// One query head in one sequence; rows counted over all packed sequences.
struct HeadRows {
  Index head, key_head;
  Index first_query, queries;
  Index first_key, keys;
};

struct RowRange {
  Index first, count;  // within the sequence
};

QUINTET_LANES RowRange tile_of(Index first, Index all, Index size) {
  return {first, all - first < size ? all - first : size};
}

QUINTET_LANES HeadRows head_rows(const AttentionLayout& shape, Index sequence, Index head) {
  const Index first_query = shape.query_starts[sequence];
  const Index first_key = shape.key_starts[sequence];
  return {head,        head / (shape.query_heads / shape.key_heads),
          first_query, shape.query_starts[sequence + 1] - first_query,
          first_key,   shape.key_starts[sequence + 1] - first_key};
}

QUINTET_LANES Index query_stride(const AttentionLayout& s) {
  return s.query_stride == 0 ? s.query_heads * s.head_size : s.query_stride;
}
QUINTET_LANES Index key_stride(const AttentionLayout& s) {
  return s.key_stride == 0 ? s.key_heads * s.head_size : s.key_stride;
}
QUINTET_LANES Index value_stride(const AttentionLayout& s) {
  return s.value_stride == 0 ? s.key_heads * s.head_size : s.value_stride;
}
QUINTET_LANES Index output_stride(const AttentionLayout& s) {
  return s.output_stride == 0 ? s.query_heads * s.head_size : s.output_stride;
}

// How many keys of the sequence a query sees.
QUINTET_LANES Index visible_keys(AttentionMask mask, const HeadRows& rows, Index query) {
  switch (mask) {
    case AttentionMask::none:
      return rows.keys;
    case AttentionMask::causal: {
      const Index seen = query + 1 + rows.keys - rows.queries;
      return seen < 0 ? 0 : seen;
    }
  }
  return 0;
}

// Keys before and after which a query sees nothing, of a tile of keys.
struct Seen {
  Index first, end;
};

QUINTET_LANES Seen seen_keys(const AttentionLayout& shape, const HeadRows& rows, Index query) {
  const Index end = visible_keys(shape.mask, rows, query);
  const bool windowed = shape.window > 0 && end > shape.window;
  return {windowed ? end - shape.window : 0, end};
}

QUINTET_LANES Seen within(Seen seen, RowRange keys) {
  const Index end = seen.end - keys.first;
  return {seen.first - keys.first, end < keys.count ? end : keys.count};
}

// A vector of a row's scores, scaled; -infinity where they are not seen.
QUINTET_LANES Lanes masked_scores(const float* scores, Index at, Seen seen, float scale) {
  const Lanes value = load(scores + at, lane_count) * scale;
  if (at >= seen.first && at + lane_count <= seen.end) return value;
  const auto inside = (lane_numbers() < int_lanes(static_cast<std::int32_t>(seen.end - at))) &
                      (lane_numbers() >= int_lanes(static_cast<std::int32_t>(seen.first - at)));
  return select(inside, value, lanes(-__builtin_inff()));
}

// 0 or 1 / (1 - probability) for each of a row's 64 probabilities in a tile.
struct Kept {
  alignas(64) float factor[key_tile];
};

QUINTET_LANES void fill_kept(const AttentionLayout& shape, const HeadRows& rows, Index query,
                             Index first_key, Kept& kept) {
  const AttentionDropout& dropout = shape.dropout;
  const Index heads = dropout.whole_heads == 0 ? shape.query_heads : dropout.whole_heads;
  const Index row = dropout.first_row + rows.first_query + query;
  const Index element =
      (row * heads + dropout.first_head + rows.head) * dropout.whole_keys + first_key;
  const Keeping keep = keeping(dropout.probability);
  alignas(64) std::uint32_t words[random_chunk];
  fill_words({dropout.seed, dropout.draw}, element, words);
  for (Index at = 0; at < key_tile; at += lane_count) {
    const auto word = load_vector<UnsignedLanes>(words + at, lane_count);
    const Lanes factor =
        select(word >= unsigned_lanes(keep.threshold), lanes(keep.factor), Lanes{});
    store(kept.factor + at, factor, lane_count);
  }
}

// A tile of queries against a tile of keys.
struct TilePair {
  RowRange queries, keys;
};

// Keys of the tile that the first `queries` of its queries see at most: where half of a tile is
// masked, products leave most of that half out, which adds nothing but zeros.
QUINTET_LANES Index keys_seen(const AttentionLayout& shape, const HeadRows& rows, TilePair tile,
                              Index queries) {
  const Index end =
      visible_keys(shape.mask, rows, tile.queries.first + queries - 1) - tile.keys.first;
  return end < 0 ? 0 : (end < tile.keys.count ? end : tile.keys.count);
}

// Rows of queries at a time, with the keys that they see: step(first row, rows, keys).
template <class Step>
QUINTET_LANES void for_seen_rows(const AttentionLayout& shape, const HeadRows& rows, TilePair tile,
                                 Step step) {
  for (Index row = 0; row < tile.queries.count; row += rows_at_once) {
    const RowRange part = tile_of(row, tile.queries.count, rows_at_once);
    step(row, part.count, keys_seen(shape, rows, tile, row + part.count));
  }
}

QUINTET_LANES void fill_zero(float* to, Index count) {
  for_lanes(count, [&](Index at, Index left) { store(to + at, Lanes{}, left); });
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
