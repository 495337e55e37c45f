// The kernels on an NVIDIA GPU (sm_80 and later): queued on the stream they are given, on memory
// that the GPU can reach. What fails to start throws CudaError. Each operator's functions lie in
// its file here; tests run the same files on an emulator too (tests/kernels/cuda_emulator).
#pragma once

#include "kernels/cuda/fused_attention.h"
#include "kernels/cuda/matrix_product.h"
#include "kernels/cuda/scratch.h"
#include "kernels/kernels.h"

namespace quintet::kernels::cuda {

class CudaKernels : public Kernels,
                    private Float8Kernels,
                    private CosineKernels,
                    private ReplicatorKernels {
 public:
  // Without a product, or without an attention: our own.
  explicit CudaKernels(std::unique_ptr<MatrixProduct> product = nullptr,
                       std::unique_ptr<FusedAttention> attention = nullptr)
      : product_(std::move(product)), attention_(std::move(attention)) {}

#define QUINTET_OPERATOR(name, Arguments) void name(const Arguments&, Stream&) override;
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR

  bool fuses_products() const override {
    return product_ != nullptr;
  }
  void gemm_gelu(const GemmGelu&, Stream&) override;
  void gemm_gelu_backward(const GemmGeluBackward&, Stream&) override;
  void gemm_bias_gradient(const GemmBiasGradient&, Stream&) override;

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
  std::unique_ptr<MatrixProduct> product_;
  std::unique_ptr<FusedAttention> attention_;
  Scratch scratch_;
};

}  // namespace quintet::kernels::cuda
