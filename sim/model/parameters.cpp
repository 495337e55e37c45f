#include "sim/model/parameters.h"

#include <algorithm>
#include <cassert>

namespace quintet {
namespace {

// A layer norm has a bias beside its weight.
std::int64_t norm_parameters(const Model& model, std::int64_t width) {
  return model.norm == NormKind::layer_norm ? 2 * width : width;
}

std::int64_t bias_parameters(bool present, std::int64_t width) {
  return present ? width : 0;
}

std::int64_t up_matrices(const Model& model) {
  return model.mlp == MlpKind::gated_silu ? 2 : 1;
}

}  // namespace

std::int64_t padded_vocabulary(const Model& model, const ParameterSplit& split) {
  const std::int64_t multiple = std::int64_t{split.vocabulary_multiple} * split.tensor;
  return (model.vocabulary + multiple - 1) / multiple * multiple;
}

std::int64_t query_heads_per_rank(const Model& model, int tensor) {
  assert(model.heads % tensor == 0);
  return model.heads / tensor;
}

std::int64_t kv_heads_per_rank(const Model& model, int tensor) {
  assert(model.kv_heads % tensor == 0 || tensor % model.kv_heads == 0);
  return std::max(1, model.kv_heads / tensor);
}

std::int64_t LayerParameters::total() const {
  return norms + qk_norms + qkv_weight + qkv_bias + attention_output_weight +
         attention_output_bias + mlp_up_weight + mlp_up_bias + mlp_down_weight + mlp_down_bias;
}

std::int64_t LayerParameters::replicated() const {
  return norms + qk_norms + attention_output_bias + mlp_down_bias;
}

LayerParameters layer_parameters(const Model& model, const ParameterSplit& split) {
  assert(model.feed_forward % split.tensor == 0);
  const std::int64_t hidden = model.hidden;
  const std::int64_t query_width = query_heads_per_rank(model, split.tensor) * model.head_dim;
  const std::int64_t kv_width = kv_heads_per_rank(model, split.tensor) * model.head_dim;
  const std::int64_t qkv_width = query_width + 2 * kv_width;
  const std::int64_t down_width = model.feed_forward / split.tensor;
  const std::int64_t up_width = up_matrices(model) * down_width;
  LayerParameters layer;
  layer.norms = 2 * norm_parameters(model, hidden);
  layer.qk_norms = model.qk_norm ? 2 * norm_parameters(model, model.head_dim) : 0;
  layer.qkv_weight = hidden * qkv_width;
  layer.qkv_bias = bias_parameters(model.qkv_bias, qkv_width);
  layer.attention_output_weight = query_width * hidden;
  layer.attention_output_bias = bias_parameters(model.attention_output_bias, hidden);
  layer.mlp_up_weight = hidden * up_width;
  layer.mlp_up_bias = bias_parameters(model.mlp_bias, up_width);
  layer.mlp_down_weight = down_width * hidden;
  layer.mlp_down_bias = bias_parameters(model.mlp_bias, hidden);
  return layer;
}

EmbeddingParameters embedding_parameters(const Model& model, const ParameterSplit& split) {
  const std::int64_t hidden = model.hidden;
  EmbeddingParameters embedding;
  embedding.tokens = padded_vocabulary(model, split) / split.tensor * hidden;
  if (model.positions == PositionKind::learned) embedding.positions = model.max_positions * hidden;
  embedding.token_types = model.token_types * hidden;
  if (model.family == ModelFamily::bert) embedding.norm = norm_parameters(model, hidden);
  return embedding;
}

HeadParameters head_parameters(const Model& model, const ParameterSplit& split) {
  const std::int64_t hidden = model.hidden;
  const std::int64_t vocabulary = padded_vocabulary(model, split) / split.tensor;
  HeadParameters head;
  head.projection = model.headless ? 0 : vocabulary * hidden;
  if (model.family != ModelFamily::bert) {
    head.final_norm = norm_parameters(model, hidden);
    return head;
  }
  const std::int64_t dense = hidden * hidden + hidden;
  head.projection_bias = vocabulary;
  head.transform = dense + norm_parameters(model, hidden);
  head.pooler = dense;
  head.classifier = 2 * hidden + 2;
  return head;
}

std::int64_t stage_parameters(const Model& model, const ParameterSplit& split,
                              const StagePart& part) {
  std::int64_t sum = part.layers * layer_parameters(model, split).total();
  if (part.embedding) sum += embedding_parameters(model, split).total();
  if (part.head) sum += head_parameters(model, split).total();
  const bool shared = model.tied_embeddings && part.embedding && part.head;
  return shared ? sum - head_parameters(model, split).projection : sum;
}

std::int64_t stage_tensors(const Model& model, const StagePart& part) {
  const std::int64_t norm = model.norm == NormKind::layer_norm ? 2 : 1;
  const bool bert = model.family == ModelFamily::bert;
  const std::int64_t layer =
      4 + 2 * norm + (model.qk_norm ? 2 : 0) + bias_parameters(model.qkv_bias, 1) +
      bias_parameters(model.attention_output_bias, 1) + bias_parameters(model.mlp_bias, 2);
  std::int64_t sum = part.layers * layer;
  if (part.embedding)
    sum += 1 + (model.positions == PositionKind::learned ? 1 : 0) +
           (model.token_types > 0 ? 1 : 0) + (bert ? norm : 0);
  if (part.head) sum += bert ? 7 + norm : norm;  // BERT: three dense ones, the projection's bias
  const bool shared = model.tied_embeddings && part.embedding;
  return part.head && !shared ? sum + 1 : sum;
}

std::int64_t total_parameters(const Model& model, const ParameterSplit& split) {
  return stage_parameters(model, split, {.layers = model.layers, .embedding = true, .head = true});
}

}  // namespace quintet
