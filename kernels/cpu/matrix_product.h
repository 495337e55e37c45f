// A matrix product that replaces our own in the CPU's kernels.
#pragma once

#include <memory>

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

// oneDNN's product for bf16 alone, which our own computes in fp32: nullptr where the CPU, or what
// is allowed of it (targets.h), has no instructions for bf16, or the build no oneDNN.
std::unique_ptr<CpuMatrixProduct> bf16_product();

}  // namespace quintet::kernels
