// AdamW, LAMB and SGD on fp32 master weights, and the gradient norm they are clipped by.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// Any stretch of the parameters: the optimizers work element by element (LAMB's norms aside), so a
// sharded update (ZeRO) gives the bits of the whole.
struct ParameterStretch {
  Index count = 0;
  float* parameter = nullptr;
  ConstTensor gradient{};
  const float* gradient_factor = nullptr;  // optional: clip factor / loss scale, read when run
  Tensor working_copy{};  // optional: the parameter again in bf16 for the next step
};

struct AdamMoments {
  float* first = nullptr;   // fp32
  float* second = nullptr;  // fp32
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  std::int64_t step = 1;  // counts from 1
};

// Decoupled weight decay, https://arxiv.org/abs/1711.05101; the form of torch.optim.AdamW.
struct Adamw {
  ParameterStretch stretch{};
  AdamMoments moments{};
  float learning_rate = 0.0F;
  float weight_decay = 0.0F;
};

// https://arxiv.org/abs/1904.00962, algorithm 2. First the direction and the two norms of each
// tensor; the caller adds up the squares of a tensor's shards; then the step.
struct LambDirection {
  ParameterStretch stretch{};  // of one tensor; parameter and working copy are not written
  AdamMoments moments{};
  float weight_decay = 0.0F;
  float* direction = nullptr;  // [count]
  double* squared_parameter_norm = nullptr;
  double* squared_direction_norm = nullptr;
};

// parameter -= learning_rate * |parameter| / |direction| * direction; the ratio is 1 where a norm
// is 0.
struct LambStep {
  Index count = 0;
  float* parameter = nullptr;
  Tensor working_copy{};  // optional
  const float* direction = nullptr;
  const double* squared_parameter_norm = nullptr;
  const double* squared_direction_norm = nullptr;
  float learning_rate = 0.0F;
};

enum class SgdMomentum { classical, nesterov };

// torch.optim.SGD without dampening: g += decay * p; m = momentum * m + g; p -= rate * (m or g +
// momentum * m).
struct Sgd {
  ParameterStretch stretch{};
  float* velocity = nullptr;  // optional: no momentum without; zero before the first step
  SgdMomentum kind = SgdMomentum::classical;
  float momentum = 0.0F;
  float learning_rate = 0.0F;
  float weight_decay = 0.0F;
};

// Squares are exact in double; sums are rounded in double, so another split of the elements may
// move the last of its 53 bits.
struct SquaredNorm {
  Index count = 0;
  ConstTensor values{};
  double* result = nullptr;
  GradientWrite write = GradientWrite::accumulate;
};

// factor = min(1, maximum_norm / (norm + 1e-6)) * scale, as torch.nn.utils.clip_grad_norm_. The
// norm is sqrt(squared_norm) * scale: gradients may still carry a loss scale of 1 / scale.
struct ClipFactor {
  const double* squared_norm = nullptr;
  float maximum_norm = 1.0F;
  float scale = 1.0F;
  float* factor = nullptr;
};

}  // namespace quintet::kernels
