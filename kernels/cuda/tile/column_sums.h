// Sums down the columns of a matrix, several of them in one pass: gradients of norms and biases.
// Rows are cut into stretches that do not depend on the machine, so the order of a sum is fixed.
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/cuda/scratch.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

inline constexpr int column_lanes = 32, row_lanes = 8;
inline constexpr Index rows_per_stretch = 128;

// summand.load<width>(row, column, values[sums][width]).
template <int sums, int width, class Summand>
__global__ void __launch_bounds__(column_lanes* row_lanes)
    column_sums_kernel(Index rows, Index columns, Summand summand, float* partial) {
  __shared__ float of_lanes[row_lanes][sums][column_lanes * width];
  const Index column = (static_cast<Index>(blockIdx.x) * column_lanes + threadIdx.x) * width;
  const Index first = static_cast<Index>(blockIdx.y) * rows_per_stretch;
  const Index end = first + rows_per_stretch < rows ? first + rows_per_stretch : rows;
  float total[sums][width] = {};
  if (column < columns) {
    for (Index row = first + threadIdx.y; row < end; row += row_lanes) {
      float values[sums][width];
      summand.template load<width>(row, column, values);
#pragma unroll
      for (int s = 0; s < sums; ++s)
#pragma unroll
        for (int i = 0; i < width; ++i) total[s][i] += values[s][i];
    }
  }
#pragma unroll
  for (int s = 0; s < sums; ++s)
#pragma unroll
    for (int i = 0; i < width; ++i)
      of_lanes[threadIdx.y][s][threadIdx.x * width + static_cast<unsigned>(i)] = total[s][i];
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.y * column_lanes + threadIdx.x);
  for (int at = thread; at < sums * column_lanes * width; at += column_lanes * row_lanes) {
    const int s = at / (column_lanes * width), offset = at % (column_lanes * width);
    const Index to = static_cast<Index>(blockIdx.x) * column_lanes * width + offset;
    if (to >= columns) continue;
    float sum = 0.0F;
    for (int lane = 0; lane < row_lanes; ++lane) sum += of_lanes[lane][s][offset];
    partial[(static_cast<Index>(blockIdx.y) * sums + s) * columns + to] = sum;
  }
}

template <int sums>
struct SumsTo {
  float* to[sums];  // nullptr: not wanted
};

// Neighbouring threads have neighbouring columns, and share the stretches among `stretch_lanes`.
inline constexpr int stretch_lanes = 16;

template <int sums>
__global__ void __launch_bounds__(column_lanes* stretch_lanes)
    add_stretches_kernel(Index stretches, Index columns, const float* partial, SumsTo<sums> result,
                         bool accumulate) {
  __shared__ float of_lanes[stretch_lanes][column_lanes];
  const Index at = static_cast<Index>(blockIdx.x) * column_lanes + threadIdx.x;
  float own = 0.0F;
  if (at < sums * columns)
    for (Index stretch = threadIdx.y; stretch < stretches; stretch += stretch_lanes)
      own += partial[stretch * sums * columns + at];
  of_lanes[threadIdx.y][threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.y > 0 || at >= sums * columns) return;
  float* to = nullptr;
#pragma unroll
  for (int s = 0; s < sums; ++s)  // a table in registers has no place to index
    if (at / columns == s) to = result.to[s];
  if (to == nullptr) return;
  float sum = 0.0F;
#pragma unroll
  for (int lane = 0; lane < stretch_lanes; ++lane) sum += of_lanes[lane][threadIdx.x];
  float& place = to[at % columns];
  place = accumulate ? place + sum : sum;
}

template <int sums>
void add_stretches(Index stretches, Index columns, const float* partial, const SumsTo<sums>& result,
                   GradientWrite write, const Stream& stream) {
  launch(add_stretches_kernel<sums>,
         Shape{dim3(blocks_for(sums * columns, column_lanes)), dim3(column_lanes, stretch_lanes)},
         stream, stretches, columns, partial, result, write == GradientWrite::accumulate);
}

template <class Element, int sums, class Summand>
void sum_columns(Index rows, Index columns, bool packed, const Summand& summand,
                 const SumsTo<sums>& result, GradientWrite write, Scratch& scratch,
                 const Stream& stream) {
  if (columns == 0) return;
  constexpr int wide = pack_size<Element>;
  const Index stretches = (rows + rows_per_stretch - 1) / rows_per_stretch;
  float* const partial = scratch.floats(stretches * sums * columns, stream);
  const auto start = [&](auto kernel, Index per_block) {
    const Shape shape{dim3(blocks_for(columns, per_block), static_cast<unsigned>(stretches)),
                      dim3(column_lanes, row_lanes)};
    launch(kernel, shape, stream, rows, columns, summand, partial);
  };
  if (rows > 0 && packed && columns % wide == 0)
    start(column_sums_kernel<sums, wide, Summand>, column_lanes * wide);
  else if (rows > 0)
    start(column_sums_kernel<sums, 1, Summand>, column_lanes);
  add_stretches<sums>(stretches, columns, partial, result, write, stream);
}

}  // namespace quintet::kernels::cuda
