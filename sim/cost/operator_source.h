// Where an operator's time comes from: a row each, in the order in which a table is asked. To add
// one: a file with its row, and the row's line in operator_sources.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/priced_by.h"
#include "sim/model/operator.h"

namespace quintet {

struct OperatorSource {
  std::string_view name;
  bool (*prices)(const PricedOperator& work, const CostTable& table) = nullptr;
  // What follows is asked of the first source that prices the operator, and means what the function
  // of kernel_time.h or priced_by.h means that asks it.
  KernelUse (*use)(const PricedOperator& work, const CostTable& table) = nullptr;
  int (*gaps)(const PricedOperator& work) = nullptr;
  Pricing (*pricing)(const PricedOperator& work, const CostTable& table) = nullptr;
  std::vector<std::string> (*outside)(const PricedOperator& work, const CostTable& table) = nullptr;
};

namespace sources {
extern const OperatorSource profiled_stage, measured_operator, operator_curve, formula;
}

// The first that prices it; the formula where none does.
const OperatorSource& source_of(const PricedOperator& work, const CostTable& table);
bool is_priced(const PricedOperator& work, const CostTable& table);

}  // namespace quintet
