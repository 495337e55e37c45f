// The last two steps that were predicted: a plan that does not fit has none, and what was before it
// stays to compare with.
#pragma once

#include <optional>
#include <vector>

#include "gui/scenario/outcome.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/memory_report.h"

namespace quintet::gui {

struct StepFigures {
  Scenario scenario;
  RankBreakdown mean;
  std::vector<RankMemory> stages;  // of each the fullest rank
  Bytes capacity;
};

class StepMemory {
 public:
  // A prediction of another scenario moves the last one back; of the same, takes its place.
  void add(const Outcome& outcome);
  void forget();

  const std::optional<StepFigures>& now() const { return now_; }
  const std::optional<StepFigures>& before() const { return before_; }
  // Empty without a step; without one before, both columns are the step now.
  std::vector<RowDifference> rows() const;

 private:
  std::optional<StepFigures> now_, before_;
};

}  // namespace quintet::gui
