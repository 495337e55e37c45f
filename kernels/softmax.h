// Masked softmax over scores that are stored: what unfused attention does between its two products.
#pragma once

#include "kernels/attention.h"
#include "kernels/types.h"

namespace quintet::kernels {

// Matrices of scores one after the other: the heads of a sequence. `mask` and `window` are those of
// AttentionLayout.
struct SoftmaxForward {
  Index matrices = 1;
  Index rows = 0;     // queries
  Index columns = 0;  // keys
  AttentionMask mask = AttentionMask::causal;
  Index window = 0;
  float scale = 1.0F;
  Tensor scores{};  // [matrices, rows, columns]; they become probabilities, 0 where there is no key
};

// scale * p (dp - sum of p dp over the row). Where p is 0 so is the gradient.
struct SoftmaxBackward {
  Index rows = 0;  // of all matrices
  Index columns = 0;
  float scale = 1.0F;
  ConstTensor probabilities{};  // [rows, columns]
  Tensor gradient{};  // [rows, columns], by probabilities; becomes that by scores, type of both
};

}  // namespace quintet::kernels
