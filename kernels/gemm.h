// Matrix product, and the bias that goes with it. All matrices are row-major.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// c[rows, columns] = op(a) op(b), summed over depth:
enum class GemmForm {
  a_b,             // a [rows, depth], b [depth, columns]: GPT-2's forward, PyTorch's input gradient
  a_b_transposed,  // a [rows, depth], b [columns, depth]: PyTorch's forward, weights [out, in]
  a_transposed_b,  // a [depth, rows], b [depth, columns]: weight gradient
};

// The reference sums each element of c over depth in blocks of this many, each block from zero in
// order of depth, then adds the blocks in order; products and sums are rounded one by one. So
// * any split over rows or columns gives the same bits;
// * a split over depth does not: fl(b0 + b1) + fl(b2 + b3) is another sum than ((b0 + b1) + b2) +
// b3.
//   To get the bits of n shards added in order, form each shard's product from zero (the strides
//   let a and b be slices) and `accumulate` them in order. To get the bits of the whole from shards
//   whose depth is a multiple of the block, hand c from shard to shard with `accumulate`.
inline constexpr Index gemm_summation_block = 256;

struct Gemm {
  GemmForm form = GemmForm::a_b;
  Index rows = 0;
  Index columns = 0;
  Index depth = 0;
  ConstTensor a{};  // a and b have one type
  ConstTensor b{};
  Tensor c{};  // that type or fp32; `accumulate` wants fp32
  // Elements from one stored row to the next; 0: rows lie one after the other.
  Index a_stride = 0;
  Index b_stride = 0;
  Index c_stride = 0;
  ConstTensor bias{};  // optional, [columns], type of a; added last; not with `accumulate`
  GradientWrite write = GradientWrite::overwrite;
};

// values[r, c] += bias[c]: for row-parallel layers, whose bias comes after the reduction.
struct BiasAdd {
  Index rows = 0;
  Index columns = 0;
  Tensor values{};
  ConstTensor bias{};
};

struct BiasGradient {
  Index rows = 0;
  Index columns = 0;
  ConstTensor output_gradient{};
  float* bias_gradient = nullptr;
  GradientWrite write = GradientWrite::accumulate;
};

}  // namespace quintet::kernels
