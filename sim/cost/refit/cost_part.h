// What a cost table says, part by part: a family of operators, a collective, messages, a formula of
// kernels; and of which of its numbers somebody may say that they are not to count. Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"

namespace quintet {

// Where a table has measured points: CostTable::operators, a curve's points, a collective's, those
// of messages.
enum class PointList { exact_operator, operator_curve, collective, message };

// Number `point` of the list; `curve` tells which list of its kind (0 of exact_operator).
struct PointPlace {
  PointList list = PointList::exact_operator;
  std::size_t curve = 0, point = 0;
  auto operator<=>(const PointPlace&) const = default;
};
using ExcludedPoints = std::set<PointPlace>;

enum class PartKind { operators, collective, message, gemm, attention, memory };
std::string_view name_of(PartKind kind);  // "operator", "collective", ...; else empty

struct CostPart {
  PartKind kind = PartKind::operators;
  std::string name;    // "mlp_up forward in fp32", "all-reduce, 8 ranks on 1 host", "GEMM bf16"
  std::string source;  // where and when it was measured, as the table has it
  Evidence evidence = Evidence::guessed;
  Residuals recorded;                // as the table has them; samples 0: it has none
  std::optional<std::size_t> entry;  // in the table's list of its kind; of operators: of curves
  std::vector<std::size_t> exact;    // of operators: those of the family in CostTable::operators
  std::size_t points = 0;            // measured ones that the table holds, exact ones included
  bool operator==(const CostPart&) const = default;
};

// In the order of the table: operators by family, collectives, messages, formulas.
std::vector<CostPart> cost_parts(const CostTable& table);

}  // namespace quintet
