#include "tests/engine/kernel_counts/kernel_prices.h"

#include <algorithm>
#include <string_view>

#include "sim/cost/gemm_time.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/memory_time.h"

namespace quintet::engine::test {

namespace {

using kernels::AttentionSize;
using kernels::ProductSize;
using kernels::RowsSize;

Phase phase_of(const KernelKey& key) {
  switch (key.pass) {
    case Pass::forward:
    case Pass::loss:
      return Phase::forward;
    case Pass::backward:
      return Phase::backward;
    case Pass::update:
      return Phase::update;
  }
  return Phase::update;
}

KernelPrice product_price(const ProductSize& size, const KernelKey& key, const KernelSum& sum,
                          const CostTable& table) {
  PricedOperator work;
  work.kind = OperatorKind::mlp_up;
  work.phase = size.of_weights             ? Phase::weight_gradient
               : key.pass == Pass::forward ? Phase::forward
                                           : Phase::input_gradient;
  work.shape = GemmShape{size.rows, size.columns, size.depth};
  const double m = static_cast<double>(size.rows), n = static_cast<double>(size.columns),
               k = static_cast<double>(size.depth);
  const Bytes beside{std::max(0.0, sum.bytes - sum.calls * 2 * (m * k + k * n + m * n))};
  const GemmCosts* const costs = gemm_costs(work.type, table);
  const Seconds hidden_by_nothing = beside / (costs->memory_efficiency * table.memory_bandwidth);
  return {"product", sum.calls * kernel_time(work, table) + hidden_by_nothing,
          sum.calls * 2 * m * n * k};
}

KernelPrice attention_price(const AttentionSize& size, const KernelKey& key, const KernelSum& sum,
                            const CostTable& table) {
  AttentionShape shape;
  shape.sequences = size.sequences;
  shape.heads = size.heads;
  shape.kv_heads = size.key_heads;
  shape.query_length = shape.key_length = size.rows / size.sequences;
  shape.head_dim = size.head_size;
  PricedOperator work;
  work.kind = OperatorKind::attention;
  work.phase = phase_of(key);
  work.shape = shape;
  return {"attention", sum.calls * kernel_time(work, table), 0};
}

OperatorKind kind_of(std::string_view name) {
  if (name.find("_norm_") != name.npos) return OperatorKind::norm;
  if (name.starts_with("gelu") || name.starts_with("swiglu")) return OperatorKind::mlp_activation;
  if (name.starts_with("embedding")) return OperatorKind::embedding;
  if (name.starts_with("cross_entropy")) return OperatorKind::cross_entropy;
  if (name == "adamw") return OperatorKind::optimizer_update;
  return OperatorKind::residual;
}

KernelPrice memory_price(const RowsSize& size, const KernelKey& key, const KernelSum& sum,
                         const CostTable& table) {
  PricedOperator work;
  work.kind = kind_of(key.name);
  work.phase = phase_of(key);
  const MemoryShape shape{Bytes{sum.bytes / sum.calls}, {}, size.rows, size.width};
  work.shape = shape;
  work.kernels = std::max(1, static_cast<int>(sum.launches / sum.calls + 0.5));
  return {std::string(name_of(operation_of(work.kind, shape))),
          sum.calls * kernel_time(work, table), 0};
}

}  // namespace

KernelPrice price_of(const KernelKey& key, const KernelSum& sum, const CostTable& table) {
  return std::visit(
      Match{[&](const ProductSize& size) { return product_price(size, key, sum, table); },
            [&](const AttentionSize& size) { return attention_price(size, key, sum, table); },
            [&](const RowsSize& size) { return memory_price(size, key, sum, table); }},
      key.size);
}

}  // namespace quintet::engine::test
