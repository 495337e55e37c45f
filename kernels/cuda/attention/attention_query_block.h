// How a block that owns a tile of queries, 32 to a warp, finds its place and goes over the keys:
// the forward pass, and the gradients of queries.
#pragma once

#include "kernels/cuda/attention/attention_tile.h"

namespace quintet::kernels::cuda {

struct QueryBlock {
  Sight sight;
  int head, key_head;
  int first;                    // query of the block in its sequence; may lie beyond its end
  int own_row;                  // of the warp in the tile
  RowRange seen;                // keys, by any query of the block
  RowRange own_seen, all_seen;  // by any, and by every query of the warp

  template <class T>
  __device__ static QueryBlock of(const AttentionLayout& s) {
    // Under a causal mask the last tiles have most keys: they come first.
    const SequenceTile place = tile_in_slot(s.query_starts, s.sequences, T::queries,
                                            static_cast<Index>(gridDim.x - 1 - blockIdx.x));
    const Sight sight = Sight::of(s, place.sequence);
    const int head = static_cast<int>(blockIdx.y);
    const int first = static_cast<int>(place.first_row);
    const int own_row = warp_number() * T::own;
    const RowRange own = rows_within(first + own_row, T::own, sight.queries);
    return {sight,
            head,
            head / static_cast<int>(s.query_heads / s.key_heads),
            first,
            own_row,
            sight.keys_of(rows_within(first, T::queries, sight.queries)),
            sight.keys_of(own),
            sight.keys_of_all(own)};
  }
};

// The tiles of keys and values that the block goes over, T::keys at a time.
template <class T>
struct KeysAndValues {
  HeadRows<const Bfloat16> key, value;
  int end_tile;

  __device__ KeysAndValues(const AttentionLayout& s, const Bfloat16* all_keys,
                           const Bfloat16* all_values, const QueryBlock& block)
      : key(key_rows(all_keys, s.key_stride, block.sight, block.key_head, s.head_size)),
        value(key_rows(all_values, s.value_stride, block.sight, block.key_head, s.head_size)),
        end_tile((block.seen.end + T::keys - 1) / T::keys) {}

  // One group of copies, empty beyond the last tile.
  __device__ void fetch(int tile) const {
    if (tile < end_tile) {
      T::key_tile(tile).fetch(key, tile * T::keys);
      T::value_tile(tile).fetch(value, tile * T::keys);
    }
    end_copy_group();
  }
};

// work(tile, its keys) for each tile with keys that queries of the warp see. The first is being
// fetched; the others are, one ahead of the work.
template <class T, class Work>
__device__ void for_seen_tiles(const KeysAndValues<T>& keys_and_values, const QueryBlock& block,
                               Work work) {
  for (int tile = block.seen.first / T::keys; tile < keys_and_values.end_tile; ++tile) {
    wait_for_copies<0>();
    __syncthreads();  // the tile is there, and the one before it is read
    keys_and_values.fetch(tile + 1);
    const RowRange keys{tile * T::keys, (tile + 1) * T::keys};
    if (keys.meets(block.own_seen)) work(tile, keys);
  }
  wait_for_copies<0>();
  __syncthreads();  // queries without keys: their copies are over
}

template <int down, int across>
__device__ void hide_unseen(float (&scores)[down][across][4], const QueryBlock& block,
                            RowRange keys) {
  if (block.all_seen.holds(keys)) return;
  hide_outside(scores, block.own_row, [&](int row) {
    const RowRange range = block.sight.keys_of(block.first + row);
    return RowRange{range.first - keys.first, range.end - keys.first};
  });
}

}  // namespace quintet::kernels::cuda
