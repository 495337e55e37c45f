// A library's matrix product in place of our own: cuBLASLt's.
#pragma once

#include "kernels/gemm.h"

namespace quintet::kernels::cuda {

class MatrixProduct {
 public:
  MatrixProduct() = default;
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;
  virtual ~MatrixProduct() = default;

  // False where it cannot, and then nothing was done.
  virtual bool multiply(const Gemm&, const Stream&) = 0;
};

}  // namespace quintet::kernels::cuda
