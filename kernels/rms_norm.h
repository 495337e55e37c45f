// Root mean square normalisation (https://arxiv.org/abs/1910.07467), alone or with the residual
// add.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// Rows that are heads of wider ones, as queries are in a matrix of queries, keys and values:
// `heads` of them side by side, and `stride` elements on to the next wider row. Stride 0: rows lie
// one after the other.
struct RowsOfHeads {
  Index heads = 1;
  Index stride = 0;
};

// output = x / sqrt(mean(x^2) + epsilon) * weight; residual and sum as in LayerNormForward.
struct RmsNormForward {
  Index rows = 0;
  Index width = 0;
  float epsilon = 1e-5F;
  ConstTensor input{};
  ConstTensor residual{};  // optional
  Tensor sum{};            // written when there is a residual
  ConstTensor weight{};
  Tensor output{};
  float* inverse_rms = nullptr;  // [rows]
  RowsOfHeads input_rows{};      // of the input; a residual wants rows one after the other
  RowsOfHeads output_rows{};
};

struct RmsNormInputGradient {
  Index rows = 0;
  Index width = 0;
  ConstTensor output_gradient{};
  ConstTensor residual_gradient{};  // optional: what reaches x past the norm, added
  ConstTensor input{};              // x: the input, or the sum
  ConstTensor weight{};
  const float* inverse_rms = nullptr;
  Tensor input_gradient{};  // may be the memory of output_gradient or of residual_gradient
  RowsOfHeads input_rows{};
  RowsOfHeads gradient_rows{};  // of both gradients; residual_gradient as of RmsNormForward
};

struct RmsNormWeightGradient {
  Index rows = 0;
  Index width = 0;
  ConstTensor output_gradient{};
  ConstTensor input{};
  const float* inverse_rms = nullptr;
  float* weight_gradient = nullptr;
  GradientWrite write = GradientWrite::accumulate;
  RowsOfHeads input_rows{};
  RowsOfHeads gradient_rows{};
};

// Both, with the same rows, output gradient, input and statistics.
struct RmsNormGradient {
  RmsNormInputGradient input{};
  RmsNormWeightGradient weight{};
};

}  // namespace quintet::kernels
