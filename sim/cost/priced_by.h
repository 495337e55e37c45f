// Which part of a cost table prices an operator, how sure that part is, and whether the operator
// lies within what the part was fitted to. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/model/operator.h"

namespace quintet {

struct Pricing {
  std::string by;       // "GEMM bf16", "norm"; operators with the same word share a fit
  Residuals residuals;  // samples 0: not known
  Evidence evidence = Evidence::guessed;
  bool operator==(const Pricing&) const = default;
};

// In the order of kernel_use. Unfused attention counts as its GEMMs.
Pricing priced_by(const PricedOperator& work, const CostTable& table);

// What lies outside: "GEMM bf16: m is 8192, measured from 1 to 4096". Empty where all is inside, or
// the table does not say what it covers.
std::vector<std::string> outside_covered(const PricedOperator& work, const CostTable& table);

}  // namespace quintet
