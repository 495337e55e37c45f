#include "sim/cost/priced_by.h"

#include <cmath>
#include <initializer_list>
#include <utility>

#include "sim/base/quantity_text.h"
#include "sim/cost/attention_time.h"
#include "sim/cost/gemm_time.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/memory_time.h"
#include "sim/cost/operator_curves.h"
#include "sim/cost/operator_family.h"

namespace quintet {
namespace {

struct Part {
  Pricing pricing;
  CoveredRanges covered;
};

template <class Costs>
Part part_of(const std::string& by, const Costs* costs) {
  return costs == nullptr ? Part{{by, {}}, {}} : Part{{by, costs->residuals}, costs->covered};
}

Part gemm_part(DataType type, const CostTable& table) {
  return part_of("GEMM " + std::string(name_of(type)), gemm_costs(type, table));
}

Part formula_of(const PricedOperator& work, const CostTable& table) {
  return std::visit(Match{[&](const GemmShape&) { return gemm_part(work.type, table); },
                          [&](const AttentionShape& shape) {
                            if (shape.kernel == AttentionKernel::unfused)
                              return gemm_part(work.type, table);
                            return part_of("attention", attention_costs(work.type, table));
                          },
                          [&](const MemoryShape& shape) {
                            const MemoryOperation operation = operation_of(work.kind, shape);
                            return part_of(std::string(name_of(operation)),
                                           memory_costs(operation, table));
                          },
                          [](const ProfiledShape&) {
                            return Part{{"profiled stage", {}}, {}};
                          }},
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

}  // namespace

Pricing priced_by(const PricedOperator& work, const CostTable& table) {
  if (measured(work, table) != nullptr) return {"measured operators", {}};
  if (const OperatorCurve* const curve = curve_for(work, table))
    return {family_text(family_of(curve->points.front().work)), curve->residuals};
  return formula_of(work, table).pricing;
}

std::vector<std::string> outside_covered(const PricedOperator& work, const CostTable& table) {
  std::vector<std::string> outside;
  if (measured(work, table) != nullptr) return outside;
  if (curve_for(work, table) != nullptr) return outside_measured(work, table);
  const Part part = formula_of(work, table);
  for (const Covered& range : part.covered) {
    const double value = quantity(work, range.of);
    if (value <= 0 || (range.least <= value && value <= range.most)) continue;
    outside.push_back(part.pricing.by + ": " + range.of + " is " + number(value) +
                      ", measured from " + number(range.least) + " to " + number(range.most));
  }
  return outside;
}

}  // namespace quintet
