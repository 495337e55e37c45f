// AdamW, LAMB and SGD on fp32 master weights, and the gradient norm they are clipped by: each of
// many tensors at once.
#pragma once

#include "kernels/list.h"
#include "kernels/types.h"

namespace quintet::kernels {

// Any stretch of the parameters: the optimizers work element by element (LAMB's norms aside), so a
// sharded update (ZeRO) gives the bits of the whole. Gradients of one list have one type, and so
// have its moments: fp32, or bf16, in which they are stored, rounded to the nearest (ties to even);
// the step that an update makes is of the moments before they are rounded.
struct ParameterStretch {
  Index count = 0;
  float* parameter = nullptr;
  ConstTensor gradient{};
  Tensor first_moment{};  // SGD: the velocity, optional; zero before the first step
  Tensor second_moment{};
  float weight_decay = 0.0F;
  Tensor working_copy{};  // optional: the parameter again in bf16 for the next step
};

struct AdamConstants {
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  std::int64_t step = 1;  // counts from 1
};

// Decoupled weight decay, https://arxiv.org/abs/1711.05101; the form of torch.optim.AdamW.
struct Adamw {
  List<ParameterStretch> stretches{};
  const float* gradient_factor = nullptr;  // optional: clip factor / loss scale, read when run
  AdamConstants adam{};
  float learning_rate = 0.0F;
};

// https://arxiv.org/abs/1904.00962, algorithm 2. First the direction and, of each tensor, the
// squares of two norms; the caller adds up those of a tensor's shards; then the step.
struct LambStretch {
  ParameterStretch of{};                    // of one tensor
  float* direction = nullptr;               // [count]
  float* squared_parameter_norm = nullptr;  // of the tensor; optional, both or none
  float* squared_direction_norm = nullptr;
};

// Parameters and working copies are not written. What a stretch adds to its tensor's norms is
// summed in double and then rounded; stretches of one tensor add in the order of the list.
struct LambDirection {
  List<LambStretch> stretches{};
  const float* gradient_factor = nullptr;
  AdamConstants adam{};
};

// parameter -= learning_rate * |parameter| / |direction| * direction; the ratio is 1 where a norm
// is 0. Reads no gradients and no moments.
struct LambStep {
  List<LambStretch> stretches{};
  float learning_rate = 0.0F;
};

enum class SgdMomentum { classical, nesterov };

// torch.optim.SGD without dampening: g += decay * p; m = momentum * m + g; p -= rate * (m or g +
// momentum * m).
struct Sgd {
  List<ParameterStretch> stretches{};
  const float* gradient_factor = nullptr;
  SgdMomentum kind = SgdMomentum::classical;
  float momentum = 0.0F;
  float learning_rate = 0.0F;
};

struct ConstStretch {
  Index count = 0;
  ConstTensor values{};  // of one type in one list
};

// Squares are exact in double; sums are rounded in double, so another split of the elements may
// move the last of its 53 bits.
struct SquaredNorm {
  List<ConstStretch> stretches{};
  double* result = nullptr;
  GradientWrite write = GradientWrite::accumulate;
  float* rounded = nullptr;  // optional: the result once more, for ranks to add up
};

// factor = min(1, maximum_norm / (norm + 1e-6)) * scale * share, as torch.nn.utils.clip_grad_norm_.
// The norm is sqrt(squared_norm) * scale: gradients may still carry a loss scale of 1 / scale.
struct ClipFactor {
  const float* squared_norm = nullptr;
  float maximum_norm = 1.0F;
  float scale = 1.0F;
  float* factor = nullptr;
  float share = 1.0F;  // of the sum that the gradients go into: multiplied last
};

struct GradientStretch {
  Index count = 0;
  float* values = nullptr;
};

// values *= *factor: gradients that are clipped before they leave.
struct ScaleGradients {
  List<GradientStretch> stretches{};
  const float* factor = nullptr;
};

}  // namespace quintet::kernels
