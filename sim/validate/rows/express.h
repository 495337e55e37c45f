// A published row as what Quintet predicts: model, plan, machine, costs. Pure. Unknown cells take
// the defaults of the row's framework; each such choice is a remark.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/validate/rows/machines.h"
#include "sim/validate/rows/published_row.h"
#include "sim/validate/rows/software_stack.h"

namespace quintet {

// What rows are expressed with. Pointers into it stay valid as long as it does.
struct Shelf {
  std::vector<SoftwareStack> stacks;
  std::vector<PublishedMachine> machines;
  std::vector<CostTable> costs;
};

struct Expression {
  Model model;
  Plan plan;
  std::string topology;  // a shipped machine; see MachinePark
  int gpus = 0;
  CostTable costs;         // with the stack's own
  CompileOptions compile;  // of the stack, and what the row says of its kernels
  std::string stack;
  std::vector<std::string> remarks;  // "micro-batch not stated: 1"
};

struct Unexpressed {
  std::string reason;  // "mixture of experts"
  std::string stack;   // empty: unknown framework
};

using Expressed = std::variant<Expression, Unexpressed>;

// Unexpressed where its words, framework or machine are not known, or its model is not modelled.
Expressed express(const PublishedRow& row, const Shelf& shelf);

}  // namespace quintet
