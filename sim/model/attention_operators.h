// The attention core: one flash kernel, or the batched GEMMs, softmax and dropout of Megatron-LM's
// CoreAttention (2021).
#pragma once

#include <vector>

#include "sim/model/layer_operators.h"
#include "sim/model/layer_sizes.h"
#include "sim/model/model.h"
#include "sim/model/operator.h"

namespace quintet {

// Between QKV and output projection, in order; `phase`: forward, or recompute.
std::vector<Operator> attention_forward(const Model& model, const LayerWork& work,
                                        const LayerSizes& sizes, Phase phase);
std::vector<Operator> attention_backward(const Model& model, const LayerWork& work,
                                         const LayerSizes& sizes);

}  // namespace quintet
