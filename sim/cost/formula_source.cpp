// The formulas of kernel_time.h, for what nobody measured.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "sim/base/quantity_text.h"
#include "sim/cost/attention_time.h"
#include "sim/cost/gemm_time.h"
#include "sim/cost/memory_time.h"
#include "sim/cost/operator_source.h"

namespace quintet {

namespace {

constexpr std::array every_operation{
    MemoryOperation::norm,       MemoryOperation::softmax,       MemoryOperation::dropout,
    MemoryOperation::activation, MemoryOperation::elementwise,   MemoryOperation::optimizer,
    MemoryOperation::embedding,  MemoryOperation::cross_entropy,
};

std::string missing_flash(DataType type, const CostTable& table) {
  const AttentionCosts* const attention = attention_costs(type, table);
  if (attention == nullptr) return "flash attention in " + std::string(name_of(type));
  if (gemm_costs(attention->type, table) == nullptr)
    return "GEMM in " + std::string(name_of(attention->type)) + ", the type of attention";
  return "";
}

}  // namespace

std::string missing_for(DataType type, const CostTable& table, AttentionKernel attention) {
  if (!table.stages.empty()) return "";
  if (gemm_costs(type, table) == nullptr) return "GEMM in " + std::string(name_of(type));
  const bool flash = attention == AttentionKernel::flash;
  if (const std::string gap = flash ? missing_flash(type, table) : ""; !gap.empty()) return gap;
  for (const MemoryOperation operation : every_operation)
    if (memory_costs(operation, table) == nullptr) return std::string(name_of(operation));
  return "";
}

namespace {

KernelUse operator_gemm_use(const GemmShape& shape, const PricedOperator& work,
                            const CostTable& table) {
  const GemmCosts* const costs = gemm_costs(work.type, table);
  assert(costs != nullptr);
  KernelUse taken = gemm_use(shape, *costs, table);
  // The factors are of linear layers; the batched products of attention keep one layout.
  if (work.kind != OperatorKind::attention)
    taken.time = taken.time * layout_factor(work.phase, *costs);
  return taken;
}

KernelUse use(const PricedOperator& work, const CostTable& table) {
  return std::visit(
      Match{[&](const GemmShape& shape) { return operator_gemm_use(shape, work, table); },
            [&](const AttentionShape& shape) {
              return attention_use(shape, work.type, work.phase, table);
            },
            [&](const MemoryShape& shape) {
              return memory_use(shape, std::max(1, work.kernels), work.phase,
                                operation_of(work.kind, shape), table);
            },
            // Its profile is another source's.
            [](const ProfiledShape&) { return KernelUse{}; }},
      work.shape);
}

struct Part {
  Pricing pricing;
  CoveredRanges covered;
};

bool goes_backward(Phase phase) {
  return phase == Phase::backward || phase == Phase::input_gradient ||
         phase == Phase::weight_gradient;
}

template <class Costs>
Part part_of(const std::string& by, const Costs* costs, Phase phase) {
  if (costs == nullptr) return {{by, {}}, {}};
  const PassEvidence& evidence = costs->evidence;
  return {{by, costs->residuals, goes_backward(phase) ? evidence.backward : evidence.forward},
          costs->covered};
}

Part gemm_part(const PricedOperator& work, const CostTable& table) {
  return part_of("GEMM " + std::string(name_of(work.type)), gemm_costs(work.type, table),
                 work.phase);
}

Part formula_of(const PricedOperator& work, const CostTable& table) {
  return std::visit(Match{[&](const GemmShape&) { return gemm_part(work, table); },
                          [&](const AttentionShape& shape) {
                            if (shape.kernel == AttentionKernel::unfused)
                              return gemm_part(work, table);
                            return part_of("attention", attention_costs(work.type, table),
                                           work.phase);
                          },
                          [&](const MemoryShape& shape) {
                            const MemoryOperation operation = operation_of(work.kind, shape);
                            return part_of(std::string(name_of(operation)),
                                           memory_costs(operation, table), work.phase);
                          },
                          // Its profile is another source's.
                          [](const ProfiledShape&) { return Part{}; }},
                    work.shape);
}

// The operator's quantities by the names that Covered::of uses; 0 where it has none.
double quantity(const PricedOperator& work, const std::string& name) {
  const auto chosen = [&](std::initializer_list<std::pair<const char*, std::int64_t>> all) {
    for (const auto& [known, value] : all)
      if (name == known) return static_cast<double>(value);
    return 0.0;
  };
  return std::visit(Match{[&](const GemmShape& shape) {
                            return chosen({{"m", shape.m}, {"n", shape.n}, {"k", shape.k}});
                          },
                          [&](const AttentionShape& shape) {
                            return chosen({{"length", shape.key_length},
                                           {"heads", shape.heads},
                                           {"head_dim", shape.head_dim}});
                          },
                          [&](const MemoryShape& shape) {
                            return chosen({{"rows", shape.rows}, {"columns", shape.columns}});
                          },
                          [](const ProfiledShape&) { return 0.0; }},
                    work.shape);
}

std::string number(double value) {
  return std::to_string(std::llround(value));
}

std::vector<std::string> outside(const PricedOperator& work, const CostTable& table) {
  std::vector<std::string> sentences;
  const Part part = formula_of(work, table);
  for (const Covered& range : part.covered) {
    const double value = quantity(work, range.of);
    if (value <= 0 || (range.least <= value && value <= range.most)) continue;
    sentences.push_back(part.pricing.by + ": " + range.of + " is " + number(value) +
                        ", measured from " + number(range.least) + " to " + number(range.most));
  }
  return sentences;
}

}  // namespace

const OperatorSource sources::formula{
    .name = "formulas",
    .prices = [](const PricedOperator& work,
                 const CostTable& table) { return missing_for(work.type, table).empty(); },
    .use = use,
    .gaps = [](const PricedOperator& work) { return work.kernels; },
    .pricing = [](const PricedOperator& work,
                  const CostTable& table) { return formula_of(work, table).pricing; },
    .outside = outside,
};

}  // namespace quintet
