// Products of numbers of 8 bits (https://arxiv.org/abs/2209.05433): e4m3 for what goes forward, its
// range is small but it has a bit more of fraction; e5m2 for gradients. A number is a code times a
// scale, of the whole matrix or of blocks of 128 (https://arxiv.org/abs/2412.19437, section 3.3.2).
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

enum class Float8Form {
  e4m3,  // largest 448; no infinity; NaN is S.1111.111
  e5m2,  // largest 57344; infinity and NaN as IEEE 754 has them
};

struct Float8 {
  std::uint8_t bits = 0;
};

constexpr float largest_float8(Float8Form form) {
  return form == Float8Form::e4m3 ? 448.0F : 57344.0F;
}

enum class ScaleBlocks {
  tensor,          // one scale: activations, weights and gradients with one range
  rows_of_128,     // one per line and 128 of depth: activations and gradients
  squares_of_128,  // one per 128 lines and 128 of depth: weights
};

inline constexpr Index scale_block = 128;

// One factor of a product [lines, depth], depth lying together: `lines` become rows (columns) of
// the result. Scales lie as cuBLASLt wants them (its manual, "Scaling factors layouts"):
// * rows_of_128: those of all lines for the first 128 of depth, then for the next, and so on;
// * squares_of_128: those of 128 lines together, `squares_stride` from one 128 lines to the next.
struct Float8Matrix {
  Float8Form form = Float8Form::e4m3;
  ScaleBlocks blocks = ScaleBlocks::tensor;
  const Float8* codes = nullptr;
  const float* scales = nullptr;
};

constexpr Index scale_blocks_in(Index count) {
  return (count + scale_block - 1) / scale_block;
}
constexpr Index squares_stride(Index depth) {
  return (scale_blocks_in(depth) + 3) / 4 * 4;
}
constexpr Index scale_place(ScaleBlocks blocks, Index lines, Index depth, Index line, Index at) {
  if (blocks == ScaleBlocks::rows_of_128) return at / scale_block * lines + line;
  if (blocks == ScaleBlocks::squares_of_128)
    return line / scale_block * squares_stride(depth) + at / scale_block;
  return 0;
}
// The fillers at the ends of squares' rows are not written.
constexpr Index scale_count(ScaleBlocks blocks, Index lines, Index depth) {
  if (blocks == ScaleBlocks::rows_of_128) return scale_blocks_in(depth) * lines;
  if (blocks == ScaleBlocks::squares_of_128) return scale_blocks_in(lines) * squares_stride(depth);
  return 1;
}

// *result = largest |value|; NaN where there is one. With `observed`, that one becomes the larger
// of itself and this, NaN above all; with `delayed`, a number above 0 there is the result instead.
struct AbsoluteMaximum {
  Index count = 0;
  ConstTensor values{};
  float* result = nullptr;
  float* observed = nullptr;
  const float* delayed = nullptr;
};

// The end of a step under delayed scaling (https://arxiv.org/abs/2209.05433; Transformer Engine's
// DelayedScaling, "max"). Of each tensor: what was observed in the step, or 0 where that is no
// finite number, takes the place `slot` of its history; maximum = factor * the largest of the
// history; nothing is observed any more.
struct RollMaxima {
  Index tensors = 0;
  Index length = 0;
  Index slot = 0;
  float factor = 1;
  float* observed = nullptr;  // [tensors]
  float* history = nullptr;   // [tensors, length]
  float* maxima = nullptr;    // [tensors]
};

// What a product's second factor is when it is wanted the other way round.
enum class QuantiseAs { it_is, transpose };

enum class ScaleForm {
  // The block's largest value becomes the largest code.
  largest,
  // The smallest power of two under which the block's largest value is no larger than the largest
  // code: nothing is rounded but once, and a number that is quantised, made whole and quantised
  // again under another such scale stays what it was unless it is subnormal there
  // (https://arxiv.org/abs/2412.19437, section 3.5.2; Transformer Engine's force_pow_2_scales).
  power_of_two,
};

// scale = max(|largest value of the block|, 2^-100) / largest_float8(form), for a power of two
// rounded up to one; code = value / scale,
// rounded to the nearest code, ties to even; beyond the largest code: that one. A NaN makes its
// whole block NaN, and so does an infinity where the block's maximum is looked for here; under a
// given `maximum` an infinity is the largest code like any other number beyond it.
struct Quantise {
  Float8Form form = Float8Form::e4m3;
  ScaleBlocks blocks = ScaleBlocks::tensor;
  QuantiseAs as = QuantiseAs::it_is;
  Index rows = 0;
  Index columns = 0;
  ConstTensor input{};             // [rows, columns]
  const float* maximum = nullptr;  // blocks == tensor: of the tensor now, or of steps before
  Float8* codes = nullptr;         // [rows, columns], or [columns, rows]
  float* scales = nullptr;         // of the matrix that is written
  ScaleForm scale_form = ScaleForm::largest;
};

// values[lines, depth] = code * scale. Exact under scales that are powers of two, within the range
// of the values' type.
struct Dequantise {
  Index lines = 0;
  Index depth = 0;
  Float8Matrix matrix{};
  Tensor values{};
};

// The smallest maximum a scale is made of: 448 / 2^-100 is still a number.
inline constexpr float smallest_maximum = 0x1p-100F;

// c[rows, columns] = a b', summed in fp32; each block of 128 of depth is summed by itself and then
// scaled, unless one scale holds for all.
struct Float8Gemm {
  Index rows = 0;
  Index columns = 0;
  Index depth = 0;
  Float8Matrix a{};  // [rows, depth]
  Float8Matrix b{};  // [columns, depth]
  Tensor c{};        // bf16 or fp32; `accumulate` wants fp32
  GradientWrite write = GradientWrite::overwrite;
};

// A part of Kernels (kernels.h) that an implementation may do without.
class Float8Kernels {
 public:
  Float8Kernels() = default;
  Float8Kernels(const Float8Kernels&) = delete;
  Float8Kernels& operator=(const Float8Kernels&) = delete;
  virtual ~Float8Kernels() = default;

  virtual void absolute_maximum(const AbsoluteMaximum&, Stream&) = 0;
  virtual void roll_maxima(const RollMaxima&, Stream&) = 0;
  virtual void quantise(const Quantise&, Stream&) = 0;
  virtual void dequantise(const Dequantise&, Stream&) = 0;
  virtual void float8_gemm(const Float8Gemm&, Stream&) = 0;
};

}  // namespace quintet::kernels
