// Where attention's rows lie, for device code.
#pragma once

#include <cuda_runtime.h>

#include "kernels/attention.h"
#include "kernels/philox.h"

namespace quintet::kernels::cuda {

inline Index or_else(Index value, Index otherwise) {
  return value == 0 ? otherwise : value;
}

// The shape with every default filled in. `query_starts` are read here where the shape does not
// say how many rows there are.
inline AttentionLayout filled_in(AttentionLayout s) {
  s.query_stride = or_else(s.query_stride, s.query_heads * s.head_size);
  s.key_stride = or_else(s.key_stride, s.key_heads * s.head_size);
  s.value_stride = or_else(s.value_stride, s.key_heads * s.head_size);
  s.output_stride = or_else(s.output_stride, s.query_heads * s.head_size);
  s.dropout.whole_heads = or_else(s.dropout.whole_heads, s.query_heads);
  if (s.query_rows < 0) s.query_rows = s.query_starts[s.sequences];
  if (s.key_rows < 0) s.key_rows = s.key_starts[s.sequences];
  return s;
}

// The last sequence that starts at or before the row; empty ones have no rows.
__device__ inline Index sequence_of(const std::int32_t* starts, Index sequences, Index row) {
  Index low = 0, high = sequences;
  while (high - low > 1) {
    const Index middle = (low + high) / 2;
    if (starts[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Rows of one sequence, counted over all packed ones.
struct SequenceRows {
  Index first_query, queries, first_key, keys;
};

__device__ inline SequenceRows rows_of_sequence(const AttentionLayout& s, Index sequence) {
  const Index first_query = s.query_starts[sequence], first_key = s.key_starts[sequence];
  return {first_query, s.query_starts[sequence + 1] - first_query, first_key,
          s.key_starts[sequence + 1] - first_key};
}

// Keys of its sequence that a query of it sees: first <= key < end.
struct SeenKeys {
  Index first, end;
};

__device__ inline SeenKeys seen_keys(const AttentionLayout& s, const SequenceRows& rows,
                                     Index query) {
  Index end = rows.keys;
  if (s.mask == AttentionMask::causal) {
    end = query + 1 + rows.keys - rows.queries;
    if (end < 0) end = 0;
  }
  return {s.window > 0 && end > s.window ? end - s.window : 0, end};
}

// What a probability is multiplied by: 0 where it is dropped. `row` over all sequences, `key` in
// its own.
__device__ inline float kept(const AttentionDropout& d, Index row, Index head, Index key) {
  if (d.probability == 0.0F) return 1.0F;
  const auto element = static_cast<std::uint64_t>(
      ((d.first_row + row) * d.whole_heads + d.first_head + head) * d.whole_keys + key);
  const std::uint64_t group = element / 4;
  const PhiloxWords words = philox(
      d.seed, {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(group >> 32),
               static_cast<std::uint32_t>(d.draw), static_cast<std::uint32_t>(d.draw >> 32)});
  const auto threshold =
      static_cast<std::uint32_t>(static_cast<double>(d.probability) * 4294967296.0);
  return words[element % 4] >= threshold ? 1.0F / (1.0F - d.probability) : 0.0F;
}

}  // namespace quintet::kernels::cuda
