// Every operator of GPT-2, Llama and BERT behind one interface: forward, gradient by input (B) and
// gradient by weight (W) apart. Implementations: the CPU's below, CUDA's one day.
#pragma once

#include <memory>

#include "kernels/activation.h"
#include "kernels/attention.h"
#include "kernels/cosine.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/elementwise.h"
#include "kernels/embedding.h"
#include "kernels/float8.h"
#include "kernels/fused_gemm.h"
#include "kernels/gemm.h"
#include "kernels/layer_norm.h"
#include "kernels/optimizer.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"
#include "kernels/softmax.h"
#include "kernels/types.h"

namespace quintet::kernels {

// Pointers are to memory that the implementation can reach; sizes may be 0. Outputs overlap inputs
// only where the arguments say so. One object per thread: implementations keep caches.
class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  virtual void embedding_forward(const EmbeddingForward&, Stream&) = 0;
  virtual void embedding_gradient(const EmbeddingGradient&, Stream&) = 0;

  virtual void layer_norm_forward(const LayerNormForward&, Stream&) = 0;
  virtual void layer_norm_input_gradient(const LayerNormInputGradient&, Stream&) = 0;
  virtual void layer_norm_weight_gradient(const LayerNormWeightGradient&, Stream&) = 0;
  virtual void rms_norm_forward(const RmsNormForward&, Stream&) = 0;
  virtual void rms_norm_input_gradient(const RmsNormInputGradient&, Stream&) = 0;
  virtual void rms_norm_weight_gradient(const RmsNormWeightGradient&, Stream&) = 0;

  virtual void gemm(const Gemm&, Stream&) = 0;
  virtual void bias_add(const BiasAdd&, Stream&) = 0;
  virtual void bias_gradient(const BiasGradient&, Stream&) = 0;
  // Two operators each; one after the other, if an implementation has nothing better.
  virtual void gemm_gelu(const GemmGelu&, Stream&);
  virtual void gemm_gelu_backward(const GemmGeluBackward&, Stream&);
  virtual void gemm_bias_gradient(const GemmBiasGradient&, Stream&);

  virtual void rotary(const Rotary&, Stream&) = 0;
  virtual void attention_forward(const AttentionForward&, Stream&) = 0;
  virtual void attention_backward(const AttentionBackward&, Stream&) = 0;
  // Null: this implementation has no unfused attention.
  virtual ScoreKernels* on_scores() { return nullptr; }
  // Null: this implementation has none of those.
  virtual Float8Kernels* on_float8() { return nullptr; }
  virtual CosineKernels* on_cosines() { return nullptr; }

  virtual void dropout(const Dropout&, Stream&) = 0;
  virtual void gelu_forward(const GeluForward&, Stream&) = 0;
  virtual void gelu_backward(const GeluBackward&, Stream&) = 0;
  virtual void swiglu_forward(const SwigluForward&, Stream&) = 0;
  virtual void swiglu_backward(const SwigluBackward&, Stream&) = 0;
  virtual void residual_add(const ResidualAdd&, Stream&) = 0;

  virtual void cross_entropy_maximum(const CrossEntropyMaximum&, Stream&) = 0;
  virtual void cross_entropy_sum(const CrossEntropySum&, Stream&) = 0;
  virtual void cross_entropy_gradient(const CrossEntropyGradient&, Stream&) = 0;
  virtual void cross_entropy(const CrossEntropy&, Stream&) = 0;

  virtual void adamw(const Adamw&, Stream&) = 0;
  virtual void lamb_direction(const LambDirection&, Stream&) = 0;
  virtual void lamb_step(const LambStep&, Stream&) = 0;
  virtual void sgd(const Sgd&, Stream&) = 0;
  virtual void squared_norm(const SquaredNorm&, Stream&) = 0;
  virtual void clip_factor(const ClipFactor&, Stream&) = 0;

  virtual void scale(const Scale&, Stream&) = 0;
  virtual void cast(const Cast&, Stream&) = 0;
  virtual void narrow(const Narrow&, Stream&) = 0;
  virtual void widen(const Widen&, Stream&) = 0;
  virtual void accumulate(const Accumulate&, Stream&) = 0;
  virtual void combine(const Combine&, Stream&) = 0;
  virtual void find_non_finite(const FindNonFinite&, Stream&) = 0;
};

// Deterministic: the same bits on every machine, from every compiler, in Debug and Release, and for
// every split of the work over rows, columns, heads, sequences or vocabulary shards.
std::unique_ptr<Kernels> reference_kernels();

// The same code with fused multiply-add on the widest vectors this CPU has (AVX-512, AVX2 or none).
std::unique_ptr<Kernels> fast_kernels();

// The fast kernels with oneDNN's matrix product; nullptr where the build found no oneDNN. Its
// bits may depend on the shape.
// More than one thread pays only where they have cores of their own.
std::unique_ptr<Kernels> onednn_kernels(int threads = 1);

}  // namespace quintet::kernels
