// The kernels around the optimizer: gradient norm, clip, scale, accumulation, the update, casts.
// Multi-tensor kernels as in apex/Transformer Engine (csrc/multi_tensor_apply.cuh): one launch
// covers up to 320 chunks of 65,536 elements.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/operator.h"

namespace quintet {

enum class UpdateRule { adamw, lamb, sgd };  // sgd with momentum

struct UpdateWork {
  UpdateRule rule = UpdateRule::adamw;
  std::int64_t parameters = 0;  // that this rank updates
  DataType weights = DataType::bf16;
  DataType gradients = DataType::fp32;
  bool master_weights = true;  // fp32, from which the weights are cast afterwards
  DataType moments = DataType::fp32;
  bool operator==(const UpdateWork&) const = default;
};

// Launches for so many elements (see above), at least one.
int multi_tensor_kernels(std::int64_t elements);

// AdamW: gradient, weight and two moments read, weight and moments written. LAMB (arXiv
// 1904.00962) in apex's stages: moments and update, the two norms per tensor, the step. Then the
// cast of the weights when there is a master copy.
std::vector<Operator> update_operators(const UpdateWork& work);

// The gradients that are meant: a bucket's before it leaves, all of the rank's before any leaves,
// or all that the rank updates.
enum class GradientScope { bucket, local, updated };
Operator gradient_norm_operator(GradientScope scope, std::int64_t elements, DataType type);
Operator gradient_clip_operator(GradientScope scope, std::int64_t elements, DataType type);
// What loss scaling does where no clip tells the update its factor: one number. The factor itself is
// applied by the update, which reads the gradients anyhow.
Operator gradient_unscale_operator(DataType type);
Operator bucket_mean_operator(std::int64_t elements, DataType type);
// main += addend
Operator gradient_add_operator(std::int64_t elements, DataType addend, DataType main);
Operator weight_cast_operator(std::int64_t elements, DataType from, DataType to);

}  // namespace quintet
