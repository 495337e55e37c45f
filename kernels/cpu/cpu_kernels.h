// The CPU's kernels, compiled once per target; each operator's functions lie in its file here.
#pragma once

#include "kernels/cpu/matrix_product.h"
#include "kernels/kernels.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {

class CpuKernels : public Kernels, private Float8Kernels, private CosineKernels {
 public:
  explicit CpuKernels(std::unique_ptr<CpuMatrixProduct> product);
  ~CpuKernels() override;

#define QUINTET_OPERATOR(name, Arguments) void name(const Arguments&, Stream&) override;
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR

  Float8Kernels* on_float8() override {
    return this;
  }
  void absolute_maximum(const AbsoluteMaximum&, Stream&) override;
  void quantise(const Quantise&, Stream&) override;
  void float8_gemm(const Float8Gemm&, Stream&) override;
  CosineKernels* on_cosines() override {
    return this;
  }
  void cosine_transform(const CosineTransform&, Stream&) override;
  void largest_coefficients(const LargestCoefficients&, Stream&) override;
  void mean_of_coefficients(const MeanOfCoefficients&, Stream&) override;

 private:
  std::unique_ptr<CpuMatrixProduct> product_;  // nullptr: our own
};

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
