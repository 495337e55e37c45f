// Operators that were measured just as they stand in the program.
#include <algorithm>

#include "sim/cost/operator_source.h"

namespace quintet {

const MeasuredOperator* measured(const PricedOperator& work, const CostTable& table) {
  const auto found = std::find_if(table.operators.begin(), table.operators.end(),
                                  [&](const MeasuredOperator& each) { return each.work == work; });
  return found == table.operators.end() ? nullptr : &*found;
}

namespace {

bool prices(const PricedOperator& work, const CostTable& table) {
  return measured(work, table) != nullptr;
}

KernelUse use(const PricedOperator& work, const CostTable& table) {
  return {measured(work, table)->time};
}

}  // namespace

const OperatorSource sources::measured_operator{
    .name = "measured operators",
    .prices = prices,
    .use = use,
    .gaps = [](const PricedOperator&) { return 1; },
    .pricing =
        [](const PricedOperator&, const CostTable&) {
          return Pricing{"measured operators", {}, Evidence::measured};
        },
    .outside = [](const PricedOperator&, const CostTable&) { return std::vector<std::string>(); },
};

}  // namespace quintet
