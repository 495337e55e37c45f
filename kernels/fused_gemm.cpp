#include "kernels/fused_gemm.h"

#include <cassert>

#include "kernels/kernels.h"

namespace quintet::kernels {

void Kernels::gemm_gelu(const GemmGelu& a, Stream& stream) {
  assert(a.product.c_stride == 0 || a.product.c_stride == a.product.columns);
  Gemm product = a.product;
  product.c = a.before;
  gemm(product, stream);
  gelu_forward({a.form, product.rows * product.columns, a.before, a.product.c}, stream);
}

void Kernels::gemm_gelu_backward(const GemmGeluBackward& a, Stream& stream) {
  const Gemm& g = a.product;
  assert(g.c_stride == 0 || g.c_stride == g.columns);
  gemm(g, stream);
  gelu_backward({a.form, g.rows * g.columns, a.before, g.c, g.c}, stream);
}

void Kernels::gemm_bias_gradient(const GemmBiasGradient& a, Stream& stream) {
  const Gemm& g = a.product;
  assert(g.form == GemmForm::a_transposed_b);
  gemm(g, stream);
  const ConstTensor output_gradient = a.of == OutputGradient::a ? g.a : g.b;
  bias_gradient({g.depth, bias_length(a), output_gradient, a.bias_gradient, g.write}, stream);
}

}  // namespace quintet::kernels
