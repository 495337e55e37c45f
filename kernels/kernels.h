// Every operator of GPT-2, Llama and BERT behind one interface: forward, gradient by input (B) and
// gradient by weight (W) apart. Implementations: the CPU's below, CUDA's in a module (device.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

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
#include "kernels/replicator.h"
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

#define QUINTET_OPERATOR(name, Arguments) virtual void name(const Arguments&, Stream&) = 0;
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR

  // Two operators each; one after the other, if an implementation has nothing better. Whoever wants
  // to know what each operator costs asks for the two where this one does not fuse them.
  virtual bool fuses_products() const {
    return false;
  }
  virtual void gemm_gelu(const GemmGelu&, Stream&);
  virtual void gemm_gelu_backward(const GemmGeluBackward&, Stream&);
  virtual void gemm_bias_gradient(const GemmBiasGradient&, Stream&);

  // Two operators in one pass over what both read; one after the other, if an implementation has
  // nothing better.
  virtual void layer_norm_gradient(const LayerNormGradient& a, Stream& stream) {
    layer_norm_weight_gradient(a.weight, stream);
    layer_norm_input_gradient(a.input, stream);
  }
  virtual void rms_norm_gradient(const RmsNormGradient& a, Stream& stream) {
    rms_norm_weight_gradient(a.weight, stream);
    rms_norm_input_gradient(a.input, stream);
  }

  // Null: this implementation has none of those.
  virtual Float8Kernels* on_float8() {
    return nullptr;
  }
  virtual CosineKernels* on_cosines() {
    return nullptr;
  }
  virtual ReplicatorKernels* on_replicators() {
    return nullptr;
  }
};

// Deterministic: the same bits on every machine, from every compiler, in Debug and Release, and for
// every split of the work over rows, columns, heads, sequences or vocabulary shards.
std::unique_ptr<Kernels> reference_kernels();

// The fastest there is: the same code with fused multiply-add on the widest vectors this CPU has
// (AVX-512, AVX2 or none); and where it has instructions for bf16 (AVX-512 BF16, AMX), oneDNN's
// products of bf16, whose bits may depend on the shape. QUINTET_CPU_ISA restricts what is used
// (cpu/targets.h).
std::unique_ptr<Kernels> fast_kernels();
// What is wrong with QUINTET_CPU_ISA, with the words that it may hold; nothing where it is unset.
std::optional<std::string> wrong_cpu_limit();

// The fast kernels with oneDNN's matrix product; nullptr where the build found no oneDNN. Its
// bits may depend on the shape.
// More than one thread pays only where they have cores of their own.
std::unique_ptr<Kernels> onednn_kernels(int threads = 1);

}  // namespace quintet::kernels
