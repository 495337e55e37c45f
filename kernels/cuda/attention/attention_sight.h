// Tiles of packed sequences, and which queries and keys of a sequence see each other, for the
// tensor-core kernels.
#pragma once

#include "kernels/cuda/attention/attention_layout.h"

namespace quintet::kernels::cuda {

// Slots for the tiles of sequence s begin at starts[s] / tile + s. That leaves it at least
// ceil(rows / tile) of them, whatever the lengths, so that a block finds its tile by the starts
// alone; the slots left over have no rows.
inline Index tile_slots(Index rows, Index sequences, int tile) {
  return rows / tile + sequences;
}

struct SequenceTile {
  Index sequence;
  Index first_row;  // in its sequence; may lie beyond its end
};

__device__ inline SequenceTile tile_in_slot(const std::int32_t* starts, Index sequences, int tile,
                                            Index slot) {
  Index low = 0, high = sequences;
  while (high - low > 1) {
    const Index middle = (low + high) / 2;
    if (starts[middle] / tile + middle <= slot)
      low = middle;
    else
      high = middle;
  }
  return {low, (slot - starts[low] / tile - low) * tile};
}

// Rows of a sequence: first <= row < end.
struct RowRange {
  int first, end;

  __device__ bool holds(int row) const { return first <= row && row < end; }
  __device__ bool holds(RowRange other) const { return first <= other.first && other.end <= end; }
  __device__ bool meets(RowRange other) const { return first < other.end && other.first < end; }
};

__device__ inline int at_least_0(int value, int at_most) {
  const int low = value > 0 ? value : 0;
  return low < at_most ? low : at_most;
}

// Where a sequence's rows lie, and seen_keys() for tiles; in 32 bits, for registers are scarce.
// Both ends of the keys that a query sees grow with the query, and those of the queries that see a
// key with the key.
struct Sight {
  int first_query, queries, first_key, keys;
  int window;  // 0: all
  bool causal;

  // A window needs a causal mask.
  __device__ static Sight of(const AttentionLayout& s, Index sequence) {
    const int first_query = s.query_starts[sequence], first_key = s.key_starts[sequence];
    const int keys = s.key_starts[sequence + 1] - first_key;
    return {first_query,
            s.query_starts[sequence + 1] - first_query,
            first_key,
            keys,
            s.window < keys ? static_cast<int>(s.window) : 0,
            s.mask == AttentionMask::causal};
  }

  __device__ RowRange keys_of(int query) const {
    const int end = causal ? at_least_0(query + 1 + keys - queries, keys) : keys;
    return {window > 0 && end > window ? end - window : 0, end};
  }
  __device__ RowRange queries_of(int key) const {
    const int own = key - (keys - queries);
    return {causal ? at_least_0(own, queries) : 0,
            window > 0 ? at_least_0(own + window, queries) : queries};
  }
  // All that any of them sees (is seen by).
  __device__ RowRange keys_of(RowRange some) const {
    if (some.first >= some.end) return {0, 0};
    return {keys_of(some.first).first, keys_of(some.end - 1).end};
  }
  __device__ RowRange queries_of(RowRange some) const {
    if (some.first >= some.end) return {0, 0};
    return {queries_of(some.first).first, queries_of(some.end - 1).end};
  }
  // What every one of them sees (is seen by); may be empty with end < first.
  __device__ RowRange keys_of_all(RowRange some) const {
    return {keys_of(some.end - 1).first, keys_of(some.first).end};
  }
  __device__ RowRange queries_of_all(RowRange some) const {
    return {queries_of(some.end - 1).first, queries_of(some.first).end};
  }
};

// A tile's rows that there are.
__device__ inline RowRange rows_within(int first, int count, int rows) {
  return {first, first + count < rows ? first + count : rows};
}

}  // namespace quintet::kernels::cuda
