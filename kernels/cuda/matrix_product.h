// A library's matrix product in place of our own: cuBLASLt's.
#pragma once

#include "kernels/float8.h"
#include "kernels/fused_gemm.h"

namespace quintet::kernels::cuda {

class MatrixProduct {
 public:
  MatrixProduct() = default;
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;
  virtual ~MatrixProduct() = default;

  // False where it cannot, and then nothing was done.
  virtual bool multiply(const Gemm&, const Stream&) = 0;
  virtual bool multiply(const GemmGelu&, const Stream&) = 0;
  virtual bool multiply(const GemmGeluBackward&, const Stream&) = 0;
  // Overwrites the bias gradient, whatever `product.write` says.
  virtual bool multiply(const GemmBiasGradient&, const Stream&) = 0;
  virtual bool multiply(const Float8Gemm&, const Stream&) = 0;
};

}  // namespace quintet::kernels::cuda
