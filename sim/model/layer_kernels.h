// Makes the kernels of a layer, each as an Operator: those outside the attention core one by one,
// and the core whole (attention_operators.cpp).
#pragma once

#include <vector>

#include "sim/model/layer_operators.h"
#include "sim/model/layer_sizes.h"
#include "sim/model/memory_operators.h"
#include "sim/model/model.h"
#include "sim/model/operator.h"

namespace quintet {

// A weight matrix [in, out] on this rank, and the rows it multiplies.
struct Linear {
  Computation product = Computation::qkv;
  Computation bias_sum = Computation::qkv_bias;  // the bias's gradient
  std::int64_t rows = 0;
  std::int64_t in = 0, out = 0;
  Bias bias = Bias::absent;
  std::int64_t bias_rows = 0;  // rows whose gradients this rank adds up for the bias
};

// Holds references: lives as long as the call that builds a list.
class LayerKernels {
 public:
  LayerKernels(const Model& model, const LayerWork& work, const LayerSizes& sizes, Phase phase)
      : model_(model), work_(work), sizes_(sizes), context_{phase, work.type} {}

  Linear qkv() const;
  Linear attention_output() const;
  Linear mlp_up() const;
  Linear mlp_down() const;

  // In front of a product in fp8: a 16-bit operand is cast, and a transposed copy is made for the
  // weight gradient (Transformer Engine's cast_transpose), which under delayed scaling also finds
  // the largest value; under current scaling a kernel before it does. Nothing otherwise.
  void append_cast(std::int64_t rows, std::int64_t columns, std::vector<Operator>& operators) const;

  Operator product(const Linear& linear) const;         // Y[rows,out] = X[rows,in] W
  Operator input_gradient(const Linear& linear) const;  // dX[rows,in] = dY W'
  // dW[in,out] = X' dY, the bias's sum, and the addition to the main gradient when it is separate.
  void append_weight_gradient(const Linear& linear, std::vector<Operator>& operators) const;

  Operator norm(Computation which, ResidualSum sum) const;
  Operator norm_gradient(Computation which, ResidualSum sum) const;
  Operator residual(Computation which, Bias bias) const;
  Operator residual_gradient(Computation which) const;
  Operator dropout(Computation which) const;
  Operator dropout_gradient(Computation which) const;
  Operator activation() const;
  Operator activation_gradient() const;
  void append_rotary(std::vector<Operator>& operators) const;  // the same backward
  void append_qk_norm(std::vector<Operator>& operators) const;
  void append_qk_norm_gradient(std::vector<Operator>& operators) const;

 private:
  DataType product_type(const Linear& linear) const;
  Operator on_hidden(Computation which, const ElementTraffic& traffic, Rows structure) const;
  Operator on_heads(ElementTraffic traffic) const;

  const Model& model_;
  const LayerWork& work_;
  const LayerSizes& sizes_;
  KernelContext context_;
};

// The attention core, between QKV and output projection, in order: one flash kernel, or the batched
// GEMMs, softmax and dropout of Megatron-LM's CoreAttention (2021). `phase`: forward, or recompute.
std::vector<Operator> attention_forward(const Model& model, const LayerWork& work,
                                        const LayerSizes& sizes, Phase phase);
std::vector<Operator> attention_backward(const Model& model, const LayerWork& work,
                                         const LayerSizes& sizes);

}  // namespace quintet
