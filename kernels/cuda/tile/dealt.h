// One launch for a list of stretches of different lengths: each block works on a piece of one of
// them, whose size does not depend on the machine.
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/element.h"
#include "kernels/list.h"

namespace quintet::kernels::cuda {

inline constexpr int piece_threads = 256;
inline constexpr int blocks_at_once = 4;  // leaves a thread 64 registers
inline constexpr Index piece_elements = 16384;

// Goes to the GPU as a kernel's argument. An item has `Index count`, and `bool packed`: whether all
// its memory lies on 16 bytes.
template <class Item>
struct Dealt {
  int number = 0;
  unsigned first_block[List<Item>::most + 1] = {};  // of each item, and the end
  Item items[List<Item>::most] = {};

  unsigned blocks() const { return first_block[number]; }
  void add(const Item& item) {
    items[number] = item;
    first_block[number + 1] = first_block[number] + blocks_for(item.count, piece_elements);
    ++number;
  }

  // The last item that begins at or before the block; empty ones have no blocks.
  __device__ int item_of(unsigned block) const {
    int low = 0, high = number;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (first_block[middle] <= block)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
};

// step.operator()<width>(item, first element of `width`) for all of this block's piece.
template <int wide, class Item, class Step>
__device__ void for_own_piece(const Dealt<Item>& dealt, Step& step) {
  const int number = dealt.item_of(blockIdx.x);
  const Item& item = dealt.items[number];
  const Index first = static_cast<Index>(blockIdx.x - dealt.first_block[number]) * piece_elements;
  const Index end = first + piece_elements < item.count ? first + piece_elements : item.count;
  const Index thread = threadIdx.x;
  const Index packs_end = item.packed ? end / wide * wide : first;
  for (Index at = first + thread * wide; at < packs_end; at += piece_threads * wide)
    step.template operator()<wide>(item, at);
  for (Index at = packs_end + thread; at < end; at += piece_threads)
    step.template operator()<1>(item, at);
}

template <int wide, class Item, class Step>
__global__ void __launch_bounds__(piece_threads, blocks_at_once)
    pieces_kernel(const __grid_constant__ Dealt<Item> dealt, Step step) {
  for_own_piece<wide>(dealt, step);
}

template <int wide, class Item, class Step>
void for_pieces(const Dealt<Item>& dealt, const Stream& stream, const Step& step) {
  if (dealt.blocks() == 0) return;
  launch(pieces_kernel<wide, Item, Step>, Shape{dim3(dealt.blocks()), dim3(piece_threads)}, stream,
         dealt, step);
}

}  // namespace quintet::kernels::cuda
