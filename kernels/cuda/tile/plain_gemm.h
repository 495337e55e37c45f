// The operands of our own matrix products, and the one that takes any size, type and alignment: a
// tile of 64 x 64 per block, each of whose 256 threads sums 4 x 4 in fp32.
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/element.h"
#include "kernels/gemm.h"

namespace quintet::kernels::cuda {

struct Sizes {
  Index rows, columns, depth;
  Index a_stride, b_stride, c_stride;
};

template <GemmForm form>
inline constexpr bool a_turned = form == GemmForm::a_transposed_b;
template <GemmForm form>
inline constexpr bool b_turned = form == GemmForm::a_b_transposed;

template <class Element, class Output>
struct Operands {
  Sizes size;
  const Element* a;
  const Element* b;
  const Element* bias;
  Output* c;
  bool accumulate;

  __device__ void write(Index row, Index column, float value) const {
    if (row >= size.rows || column >= size.columns) return;
    Output* const to = c + row * size.c_stride + column;
    if (bias != nullptr) value += to_float(bias[column]);
    if (accumulate) value += to_float(*to);
    store_one(to, value);
  }
};

inline constexpr int plain_tile = 64, plain_depth = 16, plain_own = 4;
inline constexpr int plain_threads = 256;
inline constexpr int plain_blocks_at_once =
    3;  // leaves a thread 80 registers: with fewer it spills

// tile[depth][row] of a stretch of a matrix [rows, depth], or stored turned [depth, rows].
template <bool turned, class Element>
__device__ void load_plain(float (&tile)[plain_depth][plain_tile + 1], const Element* from,
                           Index stride, Index first_row, Index rows, Index first_depth,
                           Index depth) {
  for (int at = static_cast<int>(threadIdx.x); at < plain_tile * plain_depth; at += plain_threads) {
    const int row = turned ? at % plain_tile : at / plain_depth;
    const int k = turned ? at / plain_tile : at % plain_depth;
    const Index whole_row = first_row + row, whole_k = first_depth + k;
    const bool inside = whole_row < rows && whole_k < depth;
    const Index place = turned ? whole_k * stride + whole_row : whole_row * stride + whole_k;
    tile[k][row] = inside ? to_float(from[place]) : 0.0F;
  }
}

template <GemmForm form, class Element, class Output>
__global__ void __launch_bounds__(plain_threads, plain_blocks_at_once)
    plain_kernel(Operands<Element, Output> o) {
  __shared__ float a_tile[plain_depth][plain_tile + 1];
  __shared__ float b_tile[plain_depth][plain_tile + 1];
  const Index first_row = static_cast<Index>(blockIdx.y) * plain_tile;
  const Index first_column = static_cast<Index>(blockIdx.x) * plain_tile;
  const int own_row = static_cast<int>(threadIdx.x) / 16,
            own_column = static_cast<int>(threadIdx.x) % 16;
  float sum[plain_own][plain_own] = {};
  for (Index k = 0; k < o.size.depth; k += plain_depth) {
    load_plain<a_turned<form>>(a_tile, o.a, o.size.a_stride, first_row, o.size.rows, k,
                               o.size.depth);
    load_plain<!b_turned<form>>(b_tile, o.b, o.size.b_stride, first_column, o.size.columns, k,
                                o.size.depth);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < plain_depth; ++d)
#pragma unroll
      for (int i = 0; i < plain_own; ++i)
#pragma unroll
        for (int j = 0; j < plain_own; ++j)
          sum[i][j] += a_tile[d][own_row + 16 * i] * b_tile[d][own_column + 16 * j];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < plain_own; ++i)
#pragma unroll
    for (int j = 0; j < plain_own; ++j)
      o.write(first_row + own_row + 16 * i, first_column + own_column + 16 * j, sum[i][j]);
}

template <GemmForm form, class Element, class Output>
void multiply_plainly(const Operands<Element, Output>& o, const Stream& stream) {
  const Shape shape{
      dim3(blocks_for(o.size.columns, plain_tile), blocks_for(o.size.rows, plain_tile)),
      dim3(plain_threads)};
  launch(plain_kernel<form, Element, Output>, shape, stream, o);
}

}  // namespace quintet::kernels::cuda
