// The widths and lengths that one rank's kernels see.
#pragma once

#include <cstdint>

#include "sim/model/layer_operators.h"
#include "sim/model/model.h"

namespace quintet {

struct LayerSizes {
  std::int64_t tokens = 0;       // of the micro-batch, on this context rank
  std::int64_t token_share = 0;  // of those, on this tensor rank where the sequence is split
  std::int64_t query_length = 0, key_length = 0;
  std::int64_t window = 0;  // 0: none that is shorter than the sequence
  std::int64_t hidden = 0;
  std::int64_t heads = 0, kv_heads = 0;
  std::int64_t query_width = 0, kv_width = 0;
  std::int64_t up_width = 0;  // twice down_width when gated
  std::int64_t down_width = 0;
  std::int64_t vocabulary = 0;  // logits per token; without a head the hidden width
  bool operator==(const LayerSizes&) const = default;
};

// What one rank has of a micro-batch. Sequences, length and degrees are at least 1; what does not
// divide is rounded up.
LayerSizes layer_sizes(const Model& model, const LayerWork& work);

// The norm of GPT and Llama stands before the block, BERT's after the residual.
enum class NormPlacement { before_block, after_residual };
NormPlacement norm_placement(const Model& model);

// Eager PyTorch has one kernel for layer norm, none for RMS norm.
enum class NormKernels { fused, eager };
NormKernels norm_kernels(const Model& model, const Fusion& fusion);

}  // namespace quintet
