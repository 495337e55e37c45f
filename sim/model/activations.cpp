#include "sim/model/activations.h"

#include "sim/model/layer_sizes.h"

namespace quintet {
namespace {

constexpr double mask_byte = 1;

// Keeps the arithmetic of element counts in one place.
Bytes tensor(std::int64_t rows, std::int64_t columns, double bytes_per_element) {
  return Bytes{static_cast<double>(rows) * static_cast<double>(columns) * bytes_per_element};
}

// LlamaRMSNorm of transformers keeps its fp32 input and its normed output in the compute type.
double norm_bytes_per_element(const Model& model, const LayerWork& work) {
  const double element = size_of(work.type).value;
  const double single = size_of(DataType::fp32).value;
  if (norm_kernels(model, work.fusion) == NormKernels::fused) return element;
  return single + (work.fusion.norm_weight_in_fp32 ? single : element);
}

Bytes attention_core(const Model& model, const LayerWork& work, const LayerSizes& sizes) {
  const std::int64_t rows = work.sequences * sizes.heads * sizes.query_length;
  const double element = size_of(work.type).value;
  // The logarithm of each row's sum, in fp32.
  if (work.attention == AttentionKernel::flash) {
    const double packed = work.fusion.packed_attention ? 2 * element : 0;
    return tensor(rows, 1, 4) + tensor(rows, model.head_dim, packed);
  }
  const double per_score = model.attention_dropout > 0 ? 2 * element + mask_byte : element;
  return tensor(rows, sizes.key_length, per_score);
}

// Unfused attention keeps grouped keys and values once per query head.
std::int64_t query_key_value_width(const LayerWork& work, const LayerSizes& sizes) {
  const bool flash = work.attention == AttentionKernel::flash;
  return sizes.query_width + 2 * (flash ? sizes.kv_width : sizes.query_width);
}

// Without fusion SiLU's output is kept for the product with the gate.
std::int64_t activation_input_width(const Model& model, const LayerWork& work,
                                    const LayerSizes& sizes) {
  const bool silu_kept = model.mlp == MlpKind::gated_silu && !work.fusion.bias_activation;
  return silu_kept ? sizes.up_width + sizes.down_width : sizes.up_width;
}

// Results of the products that are not repeated (q, v, the first up and the down matrix), and
// attention's.
Bytes alternate_products_kept(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const double element = size_of(work.type).value;
  return tensor(sizes.tokens, 2 * sizes.query_width + sizes.kv_width + sizes.down_width, element) +
         tensor(sizes.token_share, sizes.hidden, element) + attention_core(model, work, sizes);
}

}  // namespace

Bytes LayerActivations::total() const {
  return norm_inputs + qkv_input + query_key_value + qk_norm_inputs + attention_core +
         attention_output + mlp_input + activation_inputs + activation_output + dropout_masks;
}

LayerActivations layer_activations(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const double element = size_of(work.type).value;
  const double norm_element = norm_bytes_per_element(model, work);
  LayerActivations kept;
  kept.norm_inputs = 2 * tensor(sizes.token_share, sizes.hidden, norm_element);
  // What a GEMM keeps of its input; flash attention keeps its output for itself too.
  const double operand = operand_bytes(work).value;
  const bool kept_twice = work.gemm_type && work.attention == AttentionKernel::flash;
  const std::int64_t gathered = work.fusion.gathered_inputs_kept ? sizes.tokens : sizes.token_share;
  kept.qkv_input = tensor(gathered, sizes.hidden, operand);
  kept.query_key_value = tensor(sizes.tokens, query_key_value_width(work, sizes), element);
  if (model.qk_norm)
    kept.qk_norm_inputs = tensor(sizes.tokens, sizes.query_width + sizes.kv_width, norm_element);
  kept.attention_core = attention_core(model, work, sizes);
  kept.attention_output =
      tensor(sizes.tokens, sizes.query_width, operand + (kept_twice ? element : 0));
  kept.mlp_input = tensor(gathered, sizes.hidden, operand);
  kept.activation_inputs =
      tensor(sizes.tokens, activation_input_width(model, work, sizes), element);
  kept.activation_output = tensor(sizes.tokens, sizes.down_width, operand);
  if (model.dropout > 0)
    kept.dropout_masks = 2 * tensor(sizes.token_share, sizes.hidden, mask_byte);
  return kept;
}

Bytes kept_bytes(const Model& model, const LayerWork& work, RecomputedPart part) {
  const LayerActivations layer = layer_activations(model, work);
  switch (part) {
    case RecomputedPart::nothing:
      return layer.total();
    case RecomputedPart::attention_core:
      return layer.total() - layer.attention_core;
    case RecomputedPart::alternate_products:
      return stage_boundary_bytes(model, work) + alternate_products_kept(model, work);
    case RecomputedPart::whole_layer:
      return stage_boundary_bytes(model, work);
  }
  return {};
}

Bytes recomputed_bytes(const Model& model, const LayerWork& work, RecomputedPart part) {
  return kept_bytes(model, work, RecomputedPart::nothing) - kept_bytes(model, work, part);
}

Bytes activation_gradient_bytes(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const double element = size_of(work.type).value;
  return tensor(sizes.tokens, sizes.hidden, element) +
         tensor(sizes.tokens, sizes.up_width, element);
}

Bytes embedding_activation_bytes(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  constexpr double id_bytes = 8;  // PyTorch's int64
  Bytes kept = tensor(sizes.tokens, 1, id_bytes);
  if (model.dropout > 0) kept += tensor(sizes.token_share, sizes.hidden, mask_byte);
  if (model.family == ModelFamily::bert)
    kept += tensor(sizes.token_share, sizes.hidden, size_of(work.type).value);
  return kept;
}

HeadActivations head_activations(const Model& model, const LayerWork& work, LogitsCopy copy) {
  const LayerSizes sizes = layer_sizes(model, work);
  const double element = size_of(work.type).value;
  const Bytes hidden = tensor(sizes.token_share, sizes.hidden, element);
  const Bytes norm = tensor(sizes.token_share, sizes.hidden, norm_bytes_per_element(model, work));
  // BERT's transform keeps its input and its activation's.
  const Bytes transform = model.family == ModelFamily::bert ? 2 * hidden : Bytes{};
  const Bytes logits = tensor(sizes.tokens, sizes.vocabulary, element);
  const Bytes single = tensor(sizes.tokens, sizes.vocabulary, size_of(DataType::fp32).value);
  const Bytes inputs = norm + hidden + transform;
  switch (copy) {
    case LogitsCopy::fp32:
      return {.kept = inputs + single, .transient = logits};
    case LogitsCopy::in_place:
      return {.kept = inputs + logits, .transient = {}};
    case LogitsCopy::whole: {
      const Bytes whole = whole_logits_bytes(model, work);
      // The parts as they came, and the own one.
      const Bytes parts = work.split.tensor > 1 ? whole + single : Bytes{};
      return {.kept = inputs + 2 * whole, .transient = 2 * whole + parts};
    }
  }
  return {};
}

}  // namespace quintet
