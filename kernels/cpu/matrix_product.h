// A matrix product that replaces our own in the CPU's kernels.
#pragma once

#include "kernels/gemm.h"

namespace quintet::kernels {

class CpuMatrixProduct {
 public:
  CpuMatrixProduct() = default;
  CpuMatrixProduct(const CpuMatrixProduct&) = delete;
  CpuMatrixProduct& operator=(const CpuMatrixProduct&) = delete;
  virtual ~CpuMatrixProduct() = default;

  // False, and nothing is done, where it has no product of these types on this CPU.
  virtual bool multiply(const Gemm&) = 0;
};

}  // namespace quintet::kernels
