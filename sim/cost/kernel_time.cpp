#include "sim/cost/kernel_time.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "sim/base/quantity_text.h"
#include "sim/cost/attention_time.h"
#include "sim/cost/gemm_time.h"
#include "sim/cost/memory_time.h"
#include "sim/cost/operator_curves.h"

namespace quintet {
namespace {

KernelUse operator_gemm_use(const GemmShape& shape, const PricedOperator& work,
                            const CostTable& table) {
  const GemmCosts* const costs = gemm_costs(work.type, table);
  assert(costs != nullptr);
  KernelUse use = gemm_use(shape, *costs, table);
  // The factors are of linear layers; the batched products of attention keep one layout.
  if (work.kind != OperatorKind::attention) use.time = use.time * layout_factor(work.phase, *costs);
  return use;
}

KernelUse profiled_use(const ProfiledShape& shape, Phase phase, const CostTable& table) {
  assert(shape.stage >= 0 && static_cast<std::size_t>(shape.stage) < table.stages.size());
  const StageCosts& stage = table.stages[static_cast<std::size_t>(shape.stage)];
  switch (phase) {
    case Phase::forward:
    case Phase::recompute:
      return {stage.forward};
    case Phase::input_gradient:
      return {stage.input_gradient};
    case Phase::weight_gradient:
      return {stage.weight_gradient};
    case Phase::backward:
      return {stage.input_gradient + stage.weight_gradient};
    case Phase::update:
      return {stage.update};
  }
  return {};
}

std::string missing_flash(DataType type, const CostTable& table) {
  const AttentionCosts* const attention = attention_costs(type, table);
  if (attention == nullptr) return "flash attention in " + std::string(name_of(type));
  if (gemm_costs(attention->type, table) == nullptr)
    return "GEMM in " + std::string(name_of(attention->type)) + ", the type of attention";
  return "";
}

constexpr std::array every_operation{
    MemoryOperation::norm,       MemoryOperation::softmax,       MemoryOperation::dropout,
    MemoryOperation::activation, MemoryOperation::elementwise,   MemoryOperation::optimizer,
    MemoryOperation::embedding,  MemoryOperation::cross_entropy,
};

}  // namespace

const MeasuredOperator* measured(const PricedOperator& work, const CostTable& table) {
  const auto found = std::find_if(table.operators.begin(), table.operators.end(),
                                  [&](const MeasuredOperator& each) { return each.work == work; });
  return found == table.operators.end() ? nullptr : &*found;
}

KernelUse kernel_use(const PricedOperator& work, const CostTable& table) {
  if (const MeasuredOperator* const known = measured(work, table)) return {known->time};
  if (const OperatorCurve* const curve = curve_for(work, table))
    return {sampled_time(work, *curve)};
  return std::visit(
      Match{[&](const GemmShape& shape) { return operator_gemm_use(shape, work, table); },
            [&](const AttentionShape& shape) {
              return attention_use(shape, work.type, work.phase, table);
            },
            [&](const MemoryShape& shape) {
              return memory_use(shape, std::max(1, work.kernels), work.phase,
                                operation_of(work.kind, shape), table);
            },
            [&](const ProfiledShape& shape) { return profiled_use(shape, work.phase, table); }},
      work.shape);
}

int gaps_beside(const PricedOperator& work, const CostTable& table) {
  if (std::holds_alternative<ProfiledShape>(work.shape)) return 0;
  const bool was_measured = measured(work, table) != nullptr || curve_for(work, table) != nullptr;
  return was_measured ? 1 : work.kernels;
}

std::string missing_for(DataType type, const CostTable& table, AttentionKernel attention) {
  if (!table.stages.empty()) return "";
  if (gemm_costs(type, table) == nullptr) return "GEMM in " + std::string(name_of(type));
  const bool flash = attention == AttentionKernel::flash;
  if (const std::string gap = flash ? missing_flash(type, table) : ""; !gap.empty()) return gap;
  for (const MemoryOperation operation : every_operation)
    if (memory_costs(operation, table) == nullptr) return std::string(name_of(operation));
  return "";
}

double slowdown(const KernelUse& use, double busy_sms, double memory_share,
                const CostTable& table) {
  if (busy_sms <= 0 && memory_share <= 0) return 1;
  double waves = 1;
  if (use.tiles > 0 && table.sms > 0) {
    const double left = std::max(1.0, table.sms - busy_sms);
    waves = std::ceil(use.tiles / left) / std::ceil(use.tiles / table.sms);
  }
  // A tenth is kept back: communication cannot starve a kernel of memory altogether.
  const double memory_left = std::max(0.1, 1 - memory_share);
  const double memory = use.memory_share / memory_left;
  return std::max({1.0, waves, memory}) * std::max(1.0, table.overlap.compute_slowdown);
}

Seconds copy_time(Bytes size, CopyDirection direction, const CostTable& table) {
  const CopyCosts& copy = table.copy;
  switch (direction) {
    case CopyDirection::host_to_device:
      return copy.start + size / copy.host_to_device;
    case CopyDirection::device_to_host:
      return copy.start + size / copy.device_to_host;
    case CopyDirection::device_to_device:
      return copy.start + size / copy.device_to_device;
  }
  return {};
}

}  // namespace quintet
