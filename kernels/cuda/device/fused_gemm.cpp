// A library's fused products, or one operator after the other.
#include "kernels/fused_gemm.h"

#include "kernels/cuda/cuda_kernels.h"

namespace quintet::kernels::cuda {

void CudaKernels::gemm_gelu(const GemmGelu& a, Stream& stream) {
  if (product_ != nullptr && product_->multiply(a, stream)) return;
  Kernels::gemm_gelu(a, stream);
}

void CudaKernels::gemm_gelu_backward(const GemmGeluBackward& a, Stream& stream) {
  if (product_ != nullptr && product_->multiply(a, stream)) return;
  Kernels::gemm_gelu_backward(a, stream);
}

// The library overwrites the bias gradient, so what is to be added to is added to afterwards.
void CudaKernels::gemm_bias_gradient(const GemmBiasGradient& a, Stream& stream) {
  const bool adds = a.product.write == GradientWrite::accumulate;
  GemmBiasGradient apart = a;
  if (product_ != nullptr && adds) apart.bias_gradient = scratch_.floats(bias_length(a), stream);
  if (product_ == nullptr || !product_->multiply(apart, stream))
    return Kernels::gemm_bias_gradient(a, stream);
  if (adds) accumulate({bias_length(a), apart.bias_gradient, a.bias_gradient}, stream);
}

}  // namespace quintet::kernels::cuda
