// Matrix products with the operator that follows or goes beside them, for libraries that do both in
// one pass over the result. Where an implementation has nothing better they are the two operators
// one after the other. A SwiGLU cannot be fused this way: its two factors are columns of the result
// that lie far apart, and no library has an epilogue for it.
#pragma once

#include "kernels/activation.h"
#include "kernels/gemm.h"

namespace quintet::kernels {

// before = a b + bias, c = gelu(before): the first product of an MLP. `before` is what the backward
// pass wants. Rows of both lie one after the other. Fused, gelu sees `before` as it was before it
// was rounded to its type.
struct GemmGelu {
  Gemm product{};  // overwrites
  GeluForm form = GeluForm::hyperbolic;
  Tensor before{};  // [rows, columns], type of c
};

// c = (a b) * gelu'(before): the input gradient of an MLP's second product, through the activation.
// Rows of both lie one after the other. Fused, the product is not rounded before it is multiplied.
struct GemmGeluBackward {
  Gemm product{};  // overwrites, without bias
  GeluForm form = GeluForm::hyperbolic;
  ConstTensor before{};  // [rows, columns], type of c
};

// Which factor of a weight gradient is the gradient of the layer's output.
enum class OutputGradient {
  a,  // weights [out, in]: the bias has as many elements as c has rows
  b,  // weights [in, out]: as many as c has columns
};

// The weight gradient, and beside it the bias gradient: the sum of the output gradient over depth,
// in fp32. `product.write` says what becomes of both.
struct GemmBiasGradient {
  Gemm product{};  // a_transposed_b, c in fp32; rows of a and b lie one after the other
  OutputGradient of = OutputGradient::a;
  float* bias_gradient = nullptr;
};

inline Index bias_length(const GemmBiasGradient& a) {
  return a.of == OutputGradient::a ? a.product.rows : a.product.columns;
}

}  // namespace quintet::kernels
