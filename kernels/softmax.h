// Masked softmax over scores that are stored: what unfused attention does between its two products.
#pragma once

#include "kernels/attention.h"
#include "kernels/types.h"

namespace quintet::kernels {

// One sequence and head. `mask` and `window` are those of AttentionShape.
struct SoftmaxForward {
  Index rows = 0;     // queries
  Index columns = 0;  // keys
  AttentionMask mask = AttentionMask::causal;
  Index window = 0;
  float scale = 1.0F;
  Tensor scores{};  // [rows, columns]; they become probabilities, 0 where a query sees no key
};

// scale * p (dp - sum of p dp over the row). Where p is 0 so is the gradient.
struct SoftmaxBackward {
  Index rows = 0;
  Index columns = 0;
  float scale = 1.0F;
  ConstTensor probabilities{};  // [rows, columns]
  Tensor gradient{};  // [rows, columns], by probabilities; becomes that by scores, type of both
};

// A part of Kernels (kernels.h) that an implementation may do without.
class ScoreKernels {
 public:
  ScoreKernels() = default;
  ScoreKernels(const ScoreKernels&) = delete;
  ScoreKernels& operator=(const ScoreKernels&) = delete;
  virtual ~ScoreKernels() = default;

  virtual void softmax_forward(const SoftmaxForward&, Stream&) = 0;
  virtual void softmax_backward(const SoftmaxBackward&, Stream&) = 0;
};

}  // namespace quintet::kernels
