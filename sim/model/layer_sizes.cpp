#include "sim/model/layer_sizes.h"

#include <cassert>

#include "sim/model/parameters.h"

namespace quintet {
namespace {

std::int64_t divided_up(std::int64_t whole, std::int64_t parts) {
  return (whole + parts - 1) / parts;
}

}  // namespace

LayerSizes layer_sizes(const Model& model, const LayerWork& work) {
  assert(work.sequences > 0 && work.sequence_length > 0);
  assert(work.split.tensor > 0 && work.split.context > 0);
  const int tensor = work.split.tensor;
  const ParameterSplit split{.tensor = tensor, .vocabulary_multiple = work.vocabulary_multiple};
  LayerSizes sizes;
  sizes.query_length = divided_up(work.sequence_length, work.split.context);
  sizes.key_length = work.sequence_length;
  sizes.tokens = work.sequences * sizes.query_length;
  sizes.token_share =
      work.split.sequence_parallel ? divided_up(sizes.tokens, tensor) : sizes.tokens;
  if (model.sliding_window && *model.sliding_window < sizes.key_length)
    sizes.window = *model.sliding_window;
  sizes.hidden = model.hidden;
  sizes.heads = query_heads_per_rank(model, tensor);
  sizes.kv_heads = kv_heads_per_rank(model, tensor);
  sizes.query_width = sizes.heads * model.head_dim;
  sizes.kv_width = sizes.kv_heads * model.head_dim;
  sizes.down_width = model.feed_forward / tensor;
  sizes.up_width = model.mlp == MlpKind::gated_silu ? 2 * sizes.down_width : sizes.down_width;
  sizes.vocabulary = model.headless ? model.hidden : padded_vocabulary(model, split) / tensor;
  return sizes;
}

NormPlacement norm_placement(const Model& model) {
  return model.family == ModelFamily::bert ? NormPlacement::after_residual
                                           : NormPlacement::before_block;
}

NormKernels norm_kernels(const Model& model, const Fusion& fusion) {
  const bool fused = fusion.norm || model.norm == NormKind::layer_norm;
  return fused ? NormKernels::fused : NormKernels::eager;
}

}  // namespace quintet
