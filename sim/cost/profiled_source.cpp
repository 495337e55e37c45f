// Whole stages that were profiled in place of their operators.
#include <cassert>
#include <cstddef>

#include "sim/cost/operator_source.h"

namespace quintet {

namespace {

bool prices(const PricedOperator& work, const CostTable&) {
  return std::holds_alternative<ProfiledShape>(work.shape);
}

KernelUse use(const PricedOperator& work, const CostTable& table) {
  const ProfiledShape& shape = std::get<ProfiledShape>(work.shape);
  assert(shape.stage >= 0 && static_cast<std::size_t>(shape.stage) < table.stages.size());
  const StageCosts& stage = table.stages[static_cast<std::size_t>(shape.stage)];
  switch (work.phase) {
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

}  // namespace

const OperatorSource sources::profiled_stage{
    .name = "profiled stages",
    .prices = prices,
    .use = use,
    .gaps = [](const PricedOperator&) { return 0; },
    .pricing =
        [](const PricedOperator&, const CostTable& table) {
          return Pricing{"profiled stage", {}, table.evidence};
        },
    .outside = [](const PricedOperator&, const CostTable&) { return std::vector<std::string>(); },
};

}  // namespace quintet
