// Breakdowns for people (a table that compares plans) and for programs (JSON).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/text_table.h"
#include "sim/explain/breakdown.h"

namespace quintet {

// Operators put together as a reader thinks of them. Whatever is repeated in the backward pass is
// `recompute`, so that the price of recomputation is one row.
enum class ComputeGroup {
  attention,
  mlp,
  norm_residual,
  embedding_head,
  recompute,
  gradients_optimizer,
  exchange,  // presort, compress, decompress: work done for the sake of communication
  products,       // of others' recordings
  other_kernels,  // likewise
  profiled_stage,
};

// What is done again for a backward is `recompute`, whatever it is.
ComputeGroup group_of(OperatorKind kind, Phase phase);
std::string_view name_of(ComputeGroup group);

// One line of a breakdown; rows of level 0 but the last (the step) sum to the step, rows of level
// 1 to the row of level 0 above them.
struct BreakdownRow {
  std::string name;
  int level = 0;
  Duration time;
  bool operator==(const BreakdownRow&) const = default;
};
std::vector<BreakdownRow> rows_of(const RankBreakdown& breakdown);

// The rows of two breakdowns side by side: each of their columns sums as said above.
struct RowDifference {
  std::string name;
  int level = 0;
  Duration before, after;
  Duration difference() const { return after - before; }
  bool operator==(const RowDifference&) const = default;
};
std::vector<RowDifference> row_differences(const RankBreakdown& before, const RankBreakdown& after);

// A column per plan: ms and share of the step. With two plans also the difference: second minus
// first in ms, and as a share of the first one's step. Rows that are zero everywhere are left out.
std::vector<TextRow> breakdown_rows(std::span<const Named<RankBreakdown>> plans);
std::string breakdown_table(std::span<const Named<RankBreakdown>> plans);

// {"schema_version": 1, "unit": "ps", "plans": [{"name", "step", "compute", "operators": [...],
//  "exposed": {axis: time}, "total_communication": {axis: time}, "bubble", ...}]}
// Integers, so that a reader can check that the parts sum to the step.
std::string breakdown_json(std::span<const Named<RankBreakdown>> plans);

}  // namespace quintet
