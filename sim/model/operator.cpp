#include "sim/model/operator.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "sim/base/result.h"

namespace quintet {

namespace {

struct Word {
  Computation computation;
  OperatorKind kind;
  std::string_view name;
};

// In the order of the enumeration.
constexpr std::array words{
    Word{Computation::token_embedding, OperatorKind::embedding, "token_embedding"},
    Word{Computation::position_embedding, OperatorKind::embedding, "position_embedding"},
    Word{Computation::type_embedding, OperatorKind::embedding, "type_embedding"},
    Word{Computation::embedding_norm, OperatorKind::norm, "embedding_norm"},
    Word{Computation::embedding_dropout, OperatorKind::residual, "embedding_dropout"},
    Word{Computation::attention_norm, OperatorKind::norm, "attention_norm"},
    Word{Computation::qkv, OperatorKind::qkv_projection, "qkv"},
    Word{Computation::qkv_bias, OperatorKind::qkv_projection, "qkv_bias"},
    Word{Computation::head_norms, OperatorKind::qk_norm, "head_norms"},
    Word{Computation::rotary, OperatorKind::rotary, "rotary"},
    Word{Computation::flash_attention, OperatorKind::attention, "flash_attention"},
    Word{Computation::head_copies, OperatorKind::attention, "head_copies"},
    Word{Computation::attention_scores, OperatorKind::attention, "attention_scores"},
    Word{Computation::attention_softmax, OperatorKind::attention, "attention_softmax"},
    Word{Computation::attention_dropout, OperatorKind::attention, "attention_dropout"},
    Word{Computation::attention_values, OperatorKind::attention, "attention_values"},
    Word{Computation::probability_gradient, OperatorKind::attention, "probability_gradient"},
    Word{Computation::value_gradient, OperatorKind::attention, "value_gradient"},
    Word{Computation::query_gradient, OperatorKind::attention, "query_gradient"},
    Word{Computation::key_gradient, OperatorKind::attention, "key_gradient"},
    Word{Computation::attention_output, OperatorKind::attention_output, "attention_output"},
    Word{Computation::attention_output_bias, OperatorKind::attention_output,
         "attention_output_bias"},
    Word{Computation::attention_branch_dropout, OperatorKind::residual, "attention_branch_dropout"},
    Word{Computation::attention_residual, OperatorKind::residual, "attention_residual"},
    Word{Computation::mlp_norm, OperatorKind::norm, "mlp_norm"},
    Word{Computation::mlp_up, OperatorKind::mlp_up, "mlp_up"},
    Word{Computation::mlp_up_bias, OperatorKind::mlp_up, "mlp_up_bias"},
    Word{Computation::mlp_activation, OperatorKind::mlp_activation, "mlp_activation"},
    Word{Computation::mlp_down, OperatorKind::mlp_down, "mlp_down"},
    Word{Computation::mlp_down_bias, OperatorKind::mlp_down, "mlp_down_bias"},
    Word{Computation::mlp_branch_dropout, OperatorKind::residual, "mlp_branch_dropout"},
    Word{Computation::mlp_residual, OperatorKind::residual, "mlp_residual"},
    Word{Computation::head_transform, OperatorKind::head, "head_transform"},
    Word{Computation::head_transform_bias, OperatorKind::head, "head_transform_bias"},
    Word{Computation::head_transform_activation, OperatorKind::mlp_activation,
         "head_transform_activation"},
    Word{Computation::head_norm, OperatorKind::norm, "head_norm"},
    Word{Computation::vocabulary, OperatorKind::head, "vocabulary"},
    Word{Computation::vocabulary_bias, OperatorKind::head, "vocabulary_bias"},
    Word{Computation::cross_entropy, OperatorKind::cross_entropy, "cross_entropy"},
    Word{Computation::gradient_add, OperatorKind::gradient_add, "gradient_add"},
    Word{Computation::bucket_mean, OperatorKind::gradient_scale, "bucket_mean"},
    Word{Computation::bucket_norm, OperatorKind::gradient_norm, "bucket_norm"},
    Word{Computation::bucket_clip, OperatorKind::gradient_clip, "bucket_clip"},
    Word{Computation::local_norm, OperatorKind::gradient_norm, "local_norm"},
    Word{Computation::local_clip, OperatorKind::gradient_clip, "local_clip"},
    Word{Computation::gradient_norm, OperatorKind::gradient_norm, "gradient_norm"},
    Word{Computation::gradient_clip, OperatorKind::gradient_clip, "gradient_clip"},
    Word{Computation::gradient_unscale, OperatorKind::gradient_scale, "gradient_unscale"},
    Word{Computation::element_update, OperatorKind::optimizer_update, "element_update"},
    Word{Computation::lamb_direction, OperatorKind::optimizer_update, "lamb_direction"},
    Word{Computation::lamb_norms, OperatorKind::optimizer_update, "lamb_norms"},
    Word{Computation::lamb_step, OperatorKind::optimizer_update, "lamb_step"},
    Word{Computation::weight_cast, OperatorKind::cast, "weight_cast"},
    Word{Computation::operand_cast, OperatorKind::cast, "operand_cast"},
    Word{Computation::tensor_copies, OperatorKind::cast, "tensor_copies"},
    Word{Computation::presort, OperatorKind::presort, "presort"},
    Word{Computation::momentum_add, OperatorKind::compress, "momentum_add"},
    Word{Computation::chunk_transform, OperatorKind::compress, "chunk_transform"},
    Word{Computation::coefficient_choice, OperatorKind::compress, "coefficient_choice"},
    Word{Computation::chunk_inverse, OperatorKind::compress, "chunk_inverse"},
    Word{Computation::momentum_rest, OperatorKind::compress, "momentum_rest"},
    Word{Computation::element_choice, OperatorKind::compress, "element_choice"},
    Word{Computation::outer_difference, OperatorKind::compress, "outer_difference"},
    Word{Computation::coefficient_mean, OperatorKind::decompress, "coefficient_mean"},
    Word{Computation::merged_inverse, OperatorKind::decompress, "merged_inverse"},
    Word{Computation::merged_gradient, OperatorKind::decompress, "merged_gradient"},
    Word{Computation::element_merge, OperatorKind::decompress, "element_merge"},
    Word{Computation::outer_step, OperatorKind::decompress, "outer_step"},
    Word{Computation::stage_total, OperatorKind::stage_total, "stage_total"},
};

constexpr bool in_order() {
  for (std::size_t place = 0; place < words.size(); ++place)
    if (static_cast<std::size_t>(words[place].computation) != place) return false;
  return words.size() == computations;
}
static_assert(in_order());

const Word& word_of(Computation computation) {
  return words[static_cast<std::size_t>(computation)];
}

}  // namespace

OperatorKind kind_of(Computation computation) {
  return word_of(computation).kind;
}

std::string_view name_of(Computation computation) {
  return word_of(computation).name;
}

std::string_view name_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::embedding:
      return "embedding";
    case OperatorKind::norm:
      return "norm";
    case OperatorKind::qk_norm:
      return "qk_norm";
    case OperatorKind::qkv_projection:
      return "qkv_projection";
    case OperatorKind::rotary:
      return "rotary";
    case OperatorKind::attention:
      return "attention";
    case OperatorKind::attention_output:
      return "attention_output";
    case OperatorKind::residual:
      return "residual";
    case OperatorKind::mlp_up:
      return "mlp_up";
    case OperatorKind::mlp_activation:
      return "mlp_activation";
    case OperatorKind::mlp_down:
      return "mlp_down";
    case OperatorKind::head:
      return "head";
    case OperatorKind::cross_entropy:
      return "cross_entropy";
    case OperatorKind::gradient_scale:
      return "gradient_scale";
    case OperatorKind::gradient_norm:
      return "gradient_norm";
    case OperatorKind::gradient_clip:
      return "gradient_clip";
    case OperatorKind::gradient_add:
      return "gradient_add";
    case OperatorKind::optimizer_update:
      return "optimizer_update";
    case OperatorKind::cast:
      return "cast";
    case OperatorKind::presort:
      return "presort";
    case OperatorKind::compress:
      return "compress";
    case OperatorKind::decompress:
      return "decompress";
    case OperatorKind::product:
      return "product";
    case OperatorKind::kernel:
      return "kernel";
    case OperatorKind::stage_total:
      return "stage_total";
  }
  return "";
}

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::recompute:
      return "recompute";
    case Phase::input_gradient:
      return "input_gradient";
    case Phase::weight_gradient:
      return "weight_gradient";
    case Phase::backward:
      return "backward";
    case Phase::update:
      return "update";
  }
  return "";
}

std::string_view name_of(RecomputedPart part) {
  switch (part) {
    case RecomputedPart::nothing:
      return "nothing";
    case RecomputedPart::attention_core:
      return "attention_core";
    case RecomputedPart::alternate_products:
      return "alternate_products";
    case RecomputedPart::whole_layer:
      return "whole_layer";
  }
  return "";
}

namespace {

double gemm_products(Phase phase) {
  return phase == Phase::backward ? 2.0 : 1.0;
}

Flops flops_of_gemm(const GemmShape& shape, Phase phase) {
  const double product = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                         static_cast<double>(shape.k) * static_cast<double>(shape.batch);
  return Flops{gemm_products(phase) * product};
}

// Keys that one query counts on average.
double keys_counted(const AttentionShape& shape, AttentionCount count) {
  const double keys = static_cast<double>(shape.key_length);
  const double window = shape.window > 0 ? std::min(keys, static_cast<double>(shape.window)) : keys;
  const bool halved = shape.mask == MaskKind::causal && count == AttentionCount::causal_half;
  return halved && keys > 0 ? window - window * window / (2 * keys) : window;
}

double attention_passes(Phase phase, AttentionKernel kernel) {
  switch (phase) {
    case Phase::forward:
    case Phase::recompute:
      return 1.0;
    case Phase::input_gradient:
    case Phase::backward:
      return kernel == AttentionKernel::flash ? 2.5 : 2.0;
    case Phase::weight_gradient:
    case Phase::update:
      return 0.0;
  }
  return 0.0;
}

Flops flops_of_attention(const AttentionShape& shape, Phase phase, AttentionCount count) {
  const double queries = static_cast<double>(shape.sequences) * static_cast<double>(shape.heads) *
                         static_cast<double>(shape.query_length);
  const double forward =
      4.0 * queries * static_cast<double>(shape.head_dim) * keys_counted(shape, count);
  return Flops{attention_passes(phase, shape.kernel) * forward};
}

}  // namespace

Flops flops_of(const OperatorShape& shape, Phase phase, AttentionCount count) {
  return std::visit(
      Match{[&](const GemmShape& gemm) { return flops_of_gemm(gemm, phase); },
            [&](const AttentionShape& core) { return flops_of_attention(core, phase, count); },
            [](const MemoryShape&) { return Flops{}; },
            [](const ProfiledShape&) { return Flops{}; }},
      shape);
}

}  // namespace quintet
