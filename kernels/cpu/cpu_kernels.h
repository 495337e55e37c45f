// The CPU's kernels, compiled once per target; each operator's functions lie in its file here.
#pragma once

#include "kernels/cpu/matrix_product.h"
#include "kernels/kernels.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {

class CpuKernels : public Kernels,
                   private ScoreKernels,
                   private Float8Kernels,
                   private CosineKernels {
 public:
  explicit CpuKernels(std::unique_ptr<MatrixProduct> product);
  ~CpuKernels() override;

  void embedding_forward(const EmbeddingForward&, Stream&) override;
  void embedding_gradient(const EmbeddingGradient&, Stream&) override;

  void layer_norm_forward(const LayerNormForward&, Stream&) override;
  void layer_norm_input_gradient(const LayerNormInputGradient&, Stream&) override;
  void layer_norm_weight_gradient(const LayerNormWeightGradient&, Stream&) override;
  void rms_norm_forward(const RmsNormForward&, Stream&) override;
  void rms_norm_input_gradient(const RmsNormInputGradient&, Stream&) override;
  void rms_norm_weight_gradient(const RmsNormWeightGradient&, Stream&) override;

  void gemm(const Gemm&, Stream&) override;
  void bias_add(const BiasAdd&, Stream&) override;
  void bias_gradient(const BiasGradient&, Stream&) override;

  void rotary(const Rotary&, Stream&) override;
  void attention_forward(const AttentionForward&, Stream&) override;
  void attention_backward(const AttentionBackward&, Stream&) override;
  ScoreKernels* on_scores() override { return this; }
  void softmax_forward(const SoftmaxForward&, Stream&) override;
  void softmax_backward(const SoftmaxBackward&, Stream&) override;
  Float8Kernels* on_float8() override { return this; }
  void absolute_maximum(const AbsoluteMaximum&, Stream&) override;
  void quantise(const Quantise&, Stream&) override;
  void float8_gemm(const Float8Gemm&, Stream&) override;
  CosineKernels* on_cosines() override { return this; }
  void cosine_transform(const CosineTransform&, Stream&) override;
  void largest_coefficients(const LargestCoefficients&, Stream&) override;
  void mean_of_coefficients(const MeanOfCoefficients&, Stream&) override;

  void dropout(const Dropout&, Stream&) override;
  void gelu_forward(const GeluForward&, Stream&) override;
  void gelu_backward(const GeluBackward&, Stream&) override;
  void swiglu_forward(const SwigluForward&, Stream&) override;
  void swiglu_backward(const SwigluBackward&, Stream&) override;
  void residual_add(const ResidualAdd&, Stream&) override;

  void cross_entropy_maximum(const CrossEntropyMaximum&, Stream&) override;
  void cross_entropy_sum(const CrossEntropySum&, Stream&) override;
  void cross_entropy_gradient(const CrossEntropyGradient&, Stream&) override;
  void cross_entropy(const CrossEntropy&, Stream&) override;

  void adamw(const Adamw&, Stream&) override;
  void lamb_direction(const LambDirection&, Stream&) override;
  void lamb_step(const LambStep&, Stream&) override;
  void sgd(const Sgd&, Stream&) override;
  void squared_norm(const SquaredNorm&, Stream&) override;
  void clip_factor(const ClipFactor&, Stream&) override;

  void scale(const Scale&, Stream&) override;
  void cast(const Cast&, Stream&) override;
  void narrow(const Narrow&, Stream&) override;
  void widen(const Widen&, Stream&) override;
  void accumulate(const Accumulate&, Stream&) override;
  void combine(const Combine&, Stream&) override;
  void find_non_finite(const FindNonFinite&, Stream&) override;

 private:
  std::unique_ptr<MatrixProduct> product_;  // nullptr: our own
};

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
