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

// What is another number in every step, in memory that kernels read when they run: a captured step
// goes on with the next step's. Kept from step to step, but for the learning rate.
struct UpdateNumbers {
  double loss_scale = 1.0;  // what gradients are made larger by; of the next step
  double scaled_by = 1.0;   // likewise, of the step that has this update
  std::int64_t steps_since_overflow = 0;
  std::int64_t updates = 0;  // this one among them
  float learning_rate = 0.0F;
  float first_correction = 1.0F;  // 1 - beta1^updates: Adam's first moments are divided by it
  float root_of_second_correction = 1.0F;
  bool happens = true;  // false: the rule's kernels change nothing
};

// As torch.cuda.amp.GradScaler: after an overflow the loss scale is multiplied with `backoff`,
// after so many steps without with `growth`.
struct LossScaleRule {
  double growth = 1.0, backoff = 1.0;
  std::int64_t growth_interval = 1;
};

// Once before the rule's kernels. Where the gradients' norm is given and is not finite, there is no
// update; else it counts.
struct BeginUpdate {
  const float* learning_rate = nullptr;
  const float* squared_norm = nullptr;  // optional: of scaled gradients
  LossScaleRule loss_scale{};           // read only where there is a norm
  float beta1 = 0.0F, beta2 = 0.0F;     // Adam's; 0 of other rules
  UpdateNumbers* numbers = nullptr;
};

struct AdamConstants {
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
};

// Decoupled weight decay, https://arxiv.org/abs/1711.05101; the form of torch.optim.AdamW.
struct Adamw {
  List<ParameterStretch> stretches{};
  const float* gradient_factor = nullptr;  // optional: clip factor / loss scale, read when run
  AdamConstants adam{};
  const UpdateNumbers* numbers = nullptr;
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
  const UpdateNumbers* numbers = nullptr;
};

// parameter -= learning_rate * |parameter| / |direction| * direction; the ratio is 1 where a norm
// is 0. Reads no gradients and no moments.
struct LambStep {
  List<LambStretch> stretches{};
  const UpdateNumbers* numbers = nullptr;
};

enum class SgdMomentum { classical, nesterov };

// torch.optim.SGD without dampening: g += decay * p; m = momentum * m + g; p -= rate * (m or g +
// momentum * m).
struct Sgd {
  List<ParameterStretch> stretches{};
  const float* gradient_factor = nullptr;
  SgdMomentum kind = SgdMomentum::classical;
  float momentum = 0.0F;
  const UpdateNumbers* numbers = nullptr;
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

// What becomes of the loss scale of gradients that are clipped. Kept, for gradients that are summed
// afterwards: factor = min(1, ...) * share, and share alone where the norm is not finite, so that
// what overflowed stays there for the sum to spread.
enum class ScaledBy { divided_out, kept };

// factor = min(1, maximum_norm / (norm + 1e-6)) * scale * share, as torch.nn.utils.clip_grad_norm_.
// The norm is sqrt(squared_norm) * scale: gradients may still carry a loss scale of 1 / scale.
struct ClipFactor {
  const float* squared_norm = nullptr;
  float maximum_norm = 1.0F;
  float scale = 1.0F;
  float* factor = nullptr;
  float share = 1.0F;                  // of the sum that the gradients go into: multiplied last
  const double* loss_scale = nullptr;  // optional: read when run, and 1 / it is the scale
  ScaledBy result = ScaledBy::divided_out;
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
