// What validated rows say of predictions that nobody has checked yet (sim/confidence). Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/confidence/residuals.h"
#include "sim/validate/validation.h"

namespace quintet {

// Every row counts that has a predicted and a measured time, or a verdict on memory. Quantiles are
// of rows unseen (quantile.h). `source`: where the rows are from, and when.
PublishedResiduals published_residuals(const std::vector<RowVerdict>& verdicts,
                                       const std::string& source);

// The smallest of 1, 1.05, ... 10 for which nine of ten of `left_out` lie within, mean over its
// groups; `others` are what each is to be predicted from. 1 without groups.
struct LeftOutGroup {
  std::vector<double> others, left_out;
};
double needed_widening(const std::vector<LeftOutGroup>& groups);

// What was needed over what there is, and whether the run had enough.
struct MemoryOutcome {
  double share = 0;
  bool ran = true;
};
// The widest on either side of 1 in which one verdict in ten, or more, was wrong.
MemoryBand memory_band(const std::vector<MemoryOutcome>& outcomes);

}  // namespace quintet
