// Where cuBLASLt has no 8-bit product (before sm_89, odd sizes, blocks of 128 off Hopper): codes
// become fp32 on their way into shared memory. Slow; correct everywhere.
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/float8/float8.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int tile = 64, tile_depth = 16, own = 4, threads = 256;

struct Factor {
  const Float8* codes;
  const float* scales;
  ScaleBlocks blocks;
  Index lines, depth;

  // tile[depth][line]; a tile never crosses the end of a block of 128 of depth.
  template <Float8Form form>
  __device__ void load(float (&to)[tile_depth][tile + 1], Index first_line, Index first_k) const {
    for (int at = static_cast<int>(threadIdx.x); at < tile * tile_depth; at += threads) {
      const int in_tile = at / tile_depth, k = at % tile_depth;
      const Index line = first_line + in_tile, whole_k = first_k + k;
      float value = 0.0F;
      if (line < lines && whole_k < depth)
        value = to_float<form>(codes[line * depth + whole_k]) *
                scales[scale_place(blocks, lines, depth, line, whole_k)];
      to[k][in_tile] = value;
    }
  }
};

template <Float8Form a_form, Float8Form b_form, class Output>
__global__ void __launch_bounds__(threads)
    multiply_kernel(Factor a, Factor b, Output* c, bool accumulate) {
  __shared__ float a_tile[tile_depth][tile + 1];
  __shared__ float b_tile[tile_depth][tile + 1];
  const Index first_row = static_cast<Index>(blockIdx.y) * tile;
  const Index first_column = static_cast<Index>(blockIdx.x) * tile;
  const int own_row = static_cast<int>(threadIdx.x) / 16;
  const int own_column = static_cast<int>(threadIdx.x) % 16;
  float sum[own][own] = {};
  for (Index k = 0; k < a.depth; k += tile_depth) {
    a.load<a_form>(a_tile, first_row, k);
    b.load<b_form>(b_tile, first_column, k);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < tile_depth; ++d)
#pragma unroll
      for (int i = 0; i < own; ++i)
#pragma unroll
        for (int j = 0; j < own; ++j)
          sum[i][j] += a_tile[d][own_row + 16 * i] * b_tile[d][own_column + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j) {
      const Index row = first_row + own_row + 16 * i, column = first_column + own_column + 16 * j;
      if (row >= a.lines || column >= b.lines) continue;
      Output* const to = c + row * b.lines + column;
      store_one(to, sum[i][j] + (accumulate ? to_float(*to) : 0.0F));
    }
}

Factor factor_of(const Float8Matrix& matrix, Index lines, Index depth) {
  return {matrix.codes, matrix.scales, matrix.blocks, lines, depth};
}

}  // namespace

void CudaKernels::float8_gemm(const Float8Gemm& g, Stream& stream) {
  if (g.rows == 0 || g.columns == 0) return;
  if (product_ != nullptr && product_->multiply(g, stream)) return;
  const Shape shape{dim3(blocks_for(g.columns, tile), blocks_for(g.rows, tile)), dim3(threads)};
  with_element(g.c.type, [&](auto* kind) {
    with_float8(g.a.form, [&](auto a_form) {
      with_float8(g.b.form, [&](auto b_form) {
        using Output = std::remove_pointer_t<decltype(kind)>;
        launch(multiply_kernel<decltype(a_form)::value, decltype(b_form)::value, Output>, shape,
               stream, factor_of(g.a, g.rows, g.depth), factor_of(g.b, g.columns, g.depth),
               elements(g.c, kind), g.write == GradientWrite::accumulate);
      });
    });
  });
}

}  // namespace quintet::kernels::cuda
