// Operators that one curve may describe: they differ in nothing but sizes. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/model/operator.h"

namespace quintet {

enum class OperatorForm { gemm, attention, memory, profile };

// All that is discrete of an operator.
struct OperatorFamily {
  OperatorKind kind = OperatorKind::norm;
  Phase phase = Phase::forward;
  DataType type = DataType::bf16;
  OperatorForm form = OperatorForm::memory;
  // Attention.
  MaskKind mask = MaskKind::causal;
  AttentionKernel kernel = AttentionKernel::flash;
  // Memory: of a thousand bytes moved, those read (tells Adam from SGD), and whether rows are
  // known.
  int read_per_mille = 0;
  bool structured = false;
  bool operator==(const OperatorFamily&) const = default;
};

// All that tells operators apart but their sizes.
OperatorFamily family_of(const PricedOperator& work);

// "mlp_up forward in fp32"
std::string family_text(const OperatorFamily& family);

// What the curve runs over, each above 0. GEMM: m, n, k, batch. Attention: sequences times heads,
// query length, key length (or the window), head width, heads per key head. Memory: rows and
// columns where structured, else bytes moved. A profiled stage has none.
std::vector<double> sizes_of(const PricedOperator& work);
std::vector<std::string> size_names(const OperatorFamily& family);

// What its time is in proportion to when large: flops of GEMM and attention (masked half left out),
// bytes of the others. 0: nothing to do.
double natural_work(const PricedOperator& work);

}  // namespace quintet
