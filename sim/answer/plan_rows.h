// Plans as rows: for people where they are too many for columns, and as CSV. Pure.
#pragma once

#include <span>
#include <string>

#include "sim/answer/answer.h"
#include "sim/explain/breakdown.h"

namespace quintet {

inline constexpr std::size_t fewest_for_rows = 6;

struct PlanRow {
  std::string name;  // as shown
  const Answer& answer;
  const RankBreakdown& mean;
  std::string machine = {};  // "DGX H100, 16 hosts: 16 x 8 H100-SXM-80GB"
  std::string costs = {};    // by which table
};

// The fastest first, those that do not fit last and marked. Layouts, batches and
// machines have a column where they differ, and a line below where they do not; a run of tokens and
// money have columns where they were asked for.
std::string plan_rows_text(std::span<const PlanRow> rows);

// A header that names each column with its unit, then a line per plan in the order given; what is
// not known is empty. RFC 4180.
std::string plan_rows_csv(std::span<const PlanRow> rows);

}  // namespace quintet
