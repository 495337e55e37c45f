#include "sim/model/operator_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/base/result.h"

namespace quintet {

namespace {

// No micro-batch changes its size.
bool is_of_no_rows(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::gradient_scale:
    case OperatorKind::gradient_norm:
    case OperatorKind::gradient_clip:
    case OperatorKind::gradient_add:
    case OperatorKind::optimizer_update:
    case OperatorKind::cast:
    case OperatorKind::presort:
    case OperatorKind::compress:
    case OperatorKind::decompress:
    case OperatorKind::product:
    case OperatorKind::kernel:
    case OperatorKind::stage_total:
      return true;
    case OperatorKind::embedding:
    case OperatorKind::norm:
    case OperatorKind::qk_norm:
    case OperatorKind::qkv_projection:
    case OperatorKind::rotary:
    case OperatorKind::attention:
    case OperatorKind::attention_output:
    case OperatorKind::residual:
    case OperatorKind::mlp_up:
    case OperatorKind::mlp_activation:
    case OperatorKind::mlp_down:
    case OperatorKind::head:
    case OperatorKind::cross_entropy:
      return false;
  }
  return false;
}

std::int64_t rounded(std::int64_t rows, double share) {
  if (rows == 0) return 0;
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(rows) * share));
}

// A weight gradient sums over tokens; every other product has a row for each.
GemmShape resized(GemmShape shape, Phase phase, double share) {
  std::int64_t& tokens = phase == Phase::weight_gradient ? shape.k : shape.m;
  tokens = rounded(tokens, share);
  return shape;
}

AttentionShape resized(AttentionShape shape, const SampleWork& to) {
  assert(shape.kernel == AttentionKernel::flash && shape.window == 0);
  shape.sequences = std::max<std::int64_t>(1, to.samples);
  const double mean_square = static_cast<double>(to.squares) / static_cast<double>(shape.sequences);
  shape.query_length = shape.key_length =
      std::max<std::int64_t>(1, std::llround(std::sqrt(mean_square)));
  return shape;
}

MemoryShape resized(MemoryShape shape, double share) {
  shape.read = share * shape.read;
  shape.written = share * shape.written;
  shape.rows = rounded(shape.rows, share);
  return shape;
}

}  // namespace

PricedOperator resized(const PricedOperator& work, const SampleWork& from, const SampleWork& to) {
  if (from == to || is_of_no_rows(work.kind)) return work;
  const double share = static_cast<double>(to.tokens) / static_cast<double>(from.tokens);
  PricedOperator made = work;
  made.shape = std::visit(
      Match{[&](const GemmShape& shape) -> OperatorShape {
              return resized(shape, work.phase, share);
            },
            [&](const AttentionShape& shape) -> OperatorShape { return resized(shape, to); },
            [&](const MemoryShape& shape) -> OperatorShape { return resized(shape, share); },
            [](const ProfiledShape& shape) -> OperatorShape { return shape; }},
      work.shape);
  return made;
}

}  // namespace quintet
