#include <algorithm>
#include <array>

#include "sim/cost/operator_source.h"

namespace quintet {

namespace {

// The formula is the last: it stands for what nobody measured.
constexpr std::array rows{&sources::profiled_stage, &sources::measured_operator,
                          &sources::operator_curve, &sources::formula};

}  // namespace

const OperatorSource& source_of(const PricedOperator& work, const CostTable& table) {
  const auto found = std::find_if(rows.begin(), rows.end() - 1, [&](const OperatorSource* each) {
    return each->prices(work, table);
  });
  return **found;
}

bool is_priced(const PricedOperator& work, const CostTable& table) {
  return source_of(work, table).prices(work, table);
}

KernelUse kernel_use(const PricedOperator& work, const CostTable& table) {
  return source_of(work, table).use(work, table);
}

int gaps_beside(const PricedOperator& work, const CostTable& table) {
  return source_of(work, table).gaps(work);
}

Pricing priced_by(const PricedOperator& work, const CostTable& table) {
  return source_of(work, table).pricing(work, table);
}

std::vector<std::string> outside_covered(const PricedOperator& work, const CostTable& table) {
  return source_of(work, table).outside(work, table);
}

}  // namespace quintet
