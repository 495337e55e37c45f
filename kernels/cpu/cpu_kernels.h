// The CPU's kernels, compiled once per target; each operator's functions lie in its file here.
#pragma once

#include "kernels/cpu/matrix_product.h"
#include "kernels/kernels.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {

// What a matrix product packs at a time: this many rows of a over this many blocks of the depth,
// and a block of this many columns of b.
constexpr Index product_rows = 264;  // a multiple of 12 and 6: rows of a tile in registers
constexpr Index product_columns = 128;
constexpr Index product_blocks = 12;

// Too much for the stack of a thread.
struct ProductScratch {
  alignas(64) float left[product_blocks * product_rows * (gemm_summation_block + 16)];
  alignas(64) float right[gemm_summation_block * product_columns];  // panel after panel
  alignas(64) float sum[product_rows * product_columns];
};

class CpuKernels : public Kernels,
                   private Float8Kernels,
                   private CosineKernels,
                   private ReplicatorKernels {
 public:
  explicit CpuKernels(std::unique_ptr<CpuMatrixProduct> product);
  ~CpuKernels() override;

#define QUINTET_OPERATOR(name, Arguments) void name(const Arguments&, Stream&) override;
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR

  void layer_norm_gradient(const LayerNormGradient&, Stream&) override;
  void rms_norm_gradient(const RmsNormGradient&, Stream&) override;

  Float8Kernels* on_float8() override {
    return this;
  }
  void absolute_maximum(const AbsoluteMaximum&, Stream&) override;
  void roll_maxima(const RollMaxima&, Stream&) override;
  void quantise(const Quantise&, Stream&) override;
  void dequantise(const Dequantise&, Stream&) override;
  void float8_gemm(const Float8Gemm&, Stream&) override;
  CosineKernels* on_cosines() override {
    return this;
  }
  void cosine_transform(const CosineTransform&, Stream&) override;
  void largest_coefficients(const LargestCoefficients&, Stream&) override;
  void mean_of_coefficients(const MeanOfCoefficients&, Stream&) override;
  ReplicatorKernels* on_replicators() override {
    return this;
  }
  void momentum_add(const MomentumAdd&, Stream&) override;
  void subtract(const Subtract&, Stream&) override;
  void pack_positions(const PackPositions&, Stream&) override;
  void unpack_positions(const UnpackPositions&, Stream&) override;
  void draw_positions(const DrawPositions&, Stream&) override;
  void stride_positions(const StridePositions&, Stream&) override;
  void take_elements(const TakeElements&, Stream&) override;
  void put_elements(const PutElements&, Stream&) override;
  void merged_gradient(const MergedGradient&, Stream&) override;
  void outer_difference(const OuterDifference&, Stream&) override;
  void outer_step(const OuterStep&, Stream&) override;

 private:
  std::unique_ptr<CpuMatrixProduct> product_;  // nullptr: our own
  std::unique_ptr<ProductScratch> scratch_;
};

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
