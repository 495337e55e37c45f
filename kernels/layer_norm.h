// Layer normalisation (https://arxiv.org/abs/1607.06450), alone or fused with the residual add
// before it.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// output = (x - mean) / sqrt(variance + epsilon) * weight + bias, row by row, where x = input, or
// input + residual where there is a residual; that sum is then also written (rounded to its type
// first, so that the backward pass sees the x that was normalised).
struct LayerNormForward {
  Index rows = 0;
  Index width = 0;
  float epsilon = 1e-5F;
  ConstTensor input{};
  ConstTensor residual{};  // optional
  Tensor sum{};            // written when there is a residual
  ConstTensor weight{};
  ConstTensor bias{};  // optional
  Tensor output{};
  float* mean = nullptr;               // [rows]
  float* inverse_deviation = nullptr;  // [rows]
};

struct LayerNormInputGradient {
  Index rows = 0;
  Index width = 0;
  ConstTensor output_gradient{};
  ConstTensor residual_gradient{};  // optional: what reaches x past the norm, added
  ConstTensor input{};              // x: the input, or the sum
  ConstTensor weight{};
  const float* mean = nullptr;
  const float* inverse_deviation = nullptr;
  Tensor input_gradient{};  // may be the memory of output_gradient or of residual_gradient
};

struct LayerNormWeightGradient {
  Index rows = 0;
  Index width = 0;
  ConstTensor output_gradient{};
  ConstTensor input{};
  const float* mean = nullptr;
  const float* inverse_deviation = nullptr;
  float* weight_gradient = nullptr;
  float* bias_gradient = nullptr;  // optional
  GradientWrite write = GradientWrite::accumulate;
};

// Both, with the same rows, output gradient, input and statistics.
struct LayerNormGradient {
  LayerNormInputGradient input{};
  LayerNormWeightGradient weight{};
};

}  // namespace quintet::kernels
