#include "sim/cost/memory_time.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace quintet {
namespace {

// 1 up to half of the cache, 0 from the whole of it on: what the kernel before left there.
double resident_share(Bytes moved, Bytes cache) {
  if (cache <= Bytes{}) return 0;
  return std::clamp(2 - 2 * (moved / cache), 0.0, 1.0);
}

bool is_backward(Phase phase) {
  switch (phase) {
    case Phase::input_gradient:
    case Phase::weight_gradient:
    case Phase::backward:
      return true;
    case Phase::forward:
    case Phase::recompute:
    case Phase::update:
      return false;
  }
  return false;
}

// The waves in which rows go over the SMs; 0: not quantised.
double waves_of(const MemoryShape& shape, const MemoryCosts& costs, int sms) {
  if (shape.rows <= 0 || costs.rows_per_multiprocessor <= 0 || sms <= 0) return 0;
  return static_cast<double>(shape.rows) /
         (static_cast<double>(sms) * costs.rows_per_multiprocessor);
}

// `streaming` in whole waves: a last one that is not full takes as long as one that is.
Seconds in_waves(Seconds streaming, double waves, const MemoryCosts& costs) {
  if (waves <= 0) return streaming;
  return std::ceil(waves) / waves * streaming + std::ceil(waves) * costs.wave_start;
}

double wide_rows(const MemoryShape& shape, const MemoryCosts& costs, Phase phase) {
  constexpr double wide = 2048;
  const double exponent =
      is_backward(phase) ? costs.backward_columns_exponent : costs.columns_exponent;
  return std::pow(std::max(1.0, static_cast<double>(shape.columns) / wide), exponent);
}

}  // namespace

const MemoryCosts* memory_costs(MemoryOperation operation, const CostTable& table) {
  const auto found =
      std::find_if(table.memory.begin(), table.memory.end(),
                   [&](const MemoryCosts& costs) { return costs.operation == operation; });
  return found == table.memory.end() ? nullptr : &*found;
}

KernelUse memory_use(const MemoryShape& shape, int kernels, Phase phase, MemoryOperation operation,
                     const CostTable& table) {
  const MemoryCosts* const costs = memory_costs(operation, table);
  assert(costs != nullptr && kernels >= 1);
  const Bytes moved = shape.read + shape.written;
  const double resident = resident_share(moved / kernels, table.cache);
  const double factor =
      (is_backward(phase) ? costs->backward_factor : 1) * wide_rows(shape, *costs, phase);
  const Seconds streaming = factor * in_waves(resident * (moved / costs->cached) +
                                                  (1 - resident) * (moved / costs->bandwidth),
                                              waves_of(shape, *costs, table.sms), *costs);
  const Seconds time = kernels * costs->start + streaming;
  if (time <= Seconds{}) return {};
  return {time, 0, (1 - resident) * (streaming / time)};
}

MemoryOperation operation_of(OperatorKind kind, const MemoryShape& shape) {
  switch (kind) {
    case OperatorKind::norm:
    case OperatorKind::qk_norm:
      // Eager norms are element-wise kernels.
      return shape.rows > 0 ? MemoryOperation::norm : MemoryOperation::elementwise;
    case OperatorKind::attention:
      return shape.rows > 0 ? MemoryOperation::softmax : MemoryOperation::dropout;
    case OperatorKind::mlp_activation:
      return MemoryOperation::activation;
    case OperatorKind::embedding:
      return MemoryOperation::embedding;
    case OperatorKind::cross_entropy:
      return MemoryOperation::cross_entropy;
    case OperatorKind::optimizer_update:
      return MemoryOperation::optimizer;
    case OperatorKind::qkv_projection:
    case OperatorKind::rotary:
    case OperatorKind::attention_output:
    case OperatorKind::residual:
    case OperatorKind::mlp_up:
    case OperatorKind::mlp_down:
    case OperatorKind::head:
    case OperatorKind::gradient_scale:
    case OperatorKind::gradient_norm:
    case OperatorKind::gradient_clip:
    case OperatorKind::gradient_add:
    case OperatorKind::cast:
    case OperatorKind::presort:
    case OperatorKind::compress:
    case OperatorKind::decompress:
    case OperatorKind::product:
    case OperatorKind::kernel:
    case OperatorKind::stage_total:
      return MemoryOperation::elementwise;
  }
  return MemoryOperation::elementwise;
}

std::string_view name_of(MemoryOperation operation) {
  switch (operation) {
    case MemoryOperation::norm:
      return "norm";
    case MemoryOperation::softmax:
      return "softmax";
    case MemoryOperation::dropout:
      return "dropout";
    case MemoryOperation::activation:
      return "activation";
    case MemoryOperation::elementwise:
      return "elementwise";
    case MemoryOperation::optimizer:
      return "optimizer";
    case MemoryOperation::embedding:
      return "embedding";
    case MemoryOperation::cross_entropy:
      return "cross_entropy";
  }
  return "";
}

}  // namespace quintet
