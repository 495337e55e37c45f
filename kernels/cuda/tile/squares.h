// Sums of squares over a list of stretches. Each block adds up its piece, one block (or one per
// stretch) adds up the blocks, so the order is fixed.
#pragma once

#include "kernels/cuda/scratch.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/dealt.h"

namespace quintet::kernels::cuda {

template <int width>
__device__ void add_squares(const float (&values)[width], double& sum) {
#pragma unroll
  for (int i = 0; i < width; ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
}

// squares.operator()<width>(item, at, sums[n]) adds to them.
template <int n, class Squares>
struct Summing {
  Squares& squares;
  double (&sums)[n];

  template <int width, class Item>
  __device__ void operator()(const Item& item, Index at) {
    squares.template operator()<width>(item, at, sums);
  }
};

template <int n, int wide, class Item, class Squares>
__global__ void __launch_bounds__(piece_threads, blocks_at_once)
    squares_kernel(const __grid_constant__ Dealt<Item> dealt, Squares squares, double* partial) {
  double sums[n] = {};
  Summing<n, Squares> summing{squares, sums};
  for_own_piece<wide>(dealt, summing);
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const double sum = block_reduce(sums[i], Sum{}, 0.0);
    if (threadIdx.x == 0) partial[static_cast<Index>(blockIdx.x) * n + i] = sum;
  }
}

// This is the sum of what the blocks from `first` to `end` left; every thread of the block gets it.
__device__ inline double sum_of_blocks(const double* partial, int sums, int which, unsigned first,
                                       unsigned end) {
  double sum = 0.0;
  for (Index block = first + threadIdx.x; block < end; block += blockDim.x)
    sum += partial[block * sums + which];
  return block_reduce(sum, Sum{}, 0.0);
}

// n sums per block.
template <int n, int wide, class Item, class Squares>
const double* squares_of_blocks(const Dealt<Item>& dealt, const Squares& squares, Scratch& scratch,
                                const Stream& stream) {
  double* const partial = scratch.doubles(static_cast<Index>(dealt.blocks()) * n, stream);
  if (dealt.blocks() > 0)
    launch(squares_kernel<n, wide, Item, Squares>, Shape{dim3(dealt.blocks()), dim3(piece_threads)},
           stream, dealt, squares, partial);
  return partial;
}

}  // namespace quintet::kernels::cuda
