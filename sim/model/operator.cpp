#include "sim/model/operator.h"

#include <algorithm>

#include "sim/base/result.h"

namespace quintet {

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

Flops flops_of(const Operator& work, AttentionCount count) {
  return std::visit(
      Match{
          [&](const GemmShape& shape) { return flops_of_gemm(shape, work.phase); },
          [&](const AttentionShape& shape) { return flops_of_attention(shape, work.phase, count); },
          [](const MemoryShape&) { return Flops{}; }, [](const ProfiledShape&) { return Flops{}; }},
      work.shape);
}

}  // namespace quintet
