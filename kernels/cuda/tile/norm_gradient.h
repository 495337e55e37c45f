// A norm's gradients by its input and by its weights in one pass over the rows, each read once. A
// block has neighbouring rows, how many depends on the rows alone, and adds them up in order; then
// the blocks are added up as stretches of column_sums.h.
#pragma once

#include <algorithm>

#include "kernels/cuda/tile/column_sums.h"
#include "kernels/cuda/tile/row.h"

namespace quintet::kernels::cuda {

// Gradients by the weight, and by the bias where the norm takes the mean off.
enum class NormSums { weight = 1, weight_and_bias = 2 };

template <class Element>
struct NormGradient {
  Index rows, width;
  const Element* upstream;
  const Element* past;  // optional: what reaches x past the norm
  const Element* input;
  const Element* weight;
  const float* mean;  // of weight_and_bias
  const float* inverse;
  Element* gradient;
};

// With g = upstream * weight and n = (x - mean) / deviation: dx = (g - mean(g) - n mean(g n)) /
// deviation, without the means of x and g where the norm takes none off.
template <class Element, class Shape, NormSums which>
__global__ void __launch_bounds__(most_row_threads)
    norm_gradient_kernel(NormGradient<Element> a, Index rows_per_block, float* partial) {
  constexpr bool centred = which == NormSums::weight_and_bias;
  constexpr int sums = static_cast<int>(which);
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index begin = static_cast<Index>(blockIdx.x) * rows_per_block;
  const Index end = begin + rows_per_block < a.rows ? begin + rows_per_block : a.rows;
  const auto width = static_cast<float>(a.width);
  OfRow weight, of_weight, of_bias, normal, upstream;
  weight.load(a.weight, a.width);
  for (Index row = begin; row < end; ++row) {
    const Index start = row * a.width;
    const float mean = centred ? a.mean[row] : 0.0F, inverse = a.inverse[row];
    normal.load(a.input + start, a.width);
    upstream.load(a.upstream + start, a.width);
    float own_g = 0.0F, own_gn = 0.0F;
    OfRow::each(a.width, [&](int p, Index) {
#pragma unroll
      for (int i = 0; i < Shape::width; ++i) {
        const float n = (normal.values[p][i] - mean) * inverse, u = upstream.values[p][i];
        of_weight.values[p][i] += u * n;
        if constexpr (centred) of_bias.values[p][i] += u;
        own_g += u * weight.values[p][i];
        own_gn += u * weight.values[p][i] * n;
        normal.values[p][i] = n;
      }
    });
    float mean_g = 0.0F;
    if constexpr (centred) mean_g = sum_of_block(own_g) / width;
    const float mean_gn = sum_of_block(own_gn) / width;
    OfRow::each(a.width, [&](int p, Index column) {
      float past[Shape::width] = {};
      if (a.past != nullptr) load_pack(a.past + start + column, past);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i)
        past[i] +=
            (upstream.values[p][i] * weight.values[p][i] - mean_g - normal.values[p][i] * mean_gn) *
            inverse;
      store_pack(a.gradient + start + column, past);
    });
  }
  float* const to = partial + static_cast<Index>(blockIdx.x) * sums * a.width;
  of_weight.store(to, a.width);
  if constexpr (centred) of_bias.store(to + a.width, a.width);
}

// False where a block does not hold a row with all that is kept of it; then nothing was done.
template <class Element, NormSums which>
bool norm_gradient(const NormGradient<Element>& a, const SumsTo<static_cast<int>(which)>& result,
                   GradientWrite write, Scratch& scratch, const Stream& stream) {
  constexpr int sums = static_cast<int>(which);
  constexpr int most_elements = 16, most_packs = 4;  // of each of five rows in registers
  if (a.rows == 0 || a.width == 0) return false;
  const Index rows_per_block = std::clamp<Index>(a.rows / 1024, 16, 64);
  const Index blocks = (a.rows + rows_per_block - 1) / rows_per_block;
  bool done = false;
  const bool packed = on_16_bytes(a.upstream, a.past, a.input, a.weight, a.gradient);
  with_row_shape<Element>(a.width, packed, [&](auto shape, unsigned threads) {
    using RowsShape = decltype(shape);
    if constexpr (RowsShape::whole && RowsShape::packs <= most_packs &&
                  RowsShape::packs * RowsShape::width <= most_elements) {
      float* const partial = scratch.floats(blocks * sums * a.width, stream);
      launch(norm_gradient_kernel<Element, RowsShape, which>,
             Shape{dim3(static_cast<unsigned>(blocks)), dim3(threads)}, stream, a, rows_per_block,
             partial);
      add_stretches<sums>(blocks, a.width, partial, result, write, stream);
      done = true;
    }
  });
  return done;
}

}  // namespace quintet::kernels::cuda
