// What advice asks of whoever predicts: how long a step of a plan takes on a machine. A value, so
// that a fidelity that is faster, or a test that knows the answer by hand, takes its place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/confidence/step_interval.h"
#include "sim/cost/cost_table.h"
#include "sim/explain/breakdown.h"
#include "sim/explain/path/critical_path.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

struct Machine {
  Topology topology;
  CostTable costs;
};

struct Evaluated {
  Seconds step;
  RankBreakdown mean;                    // where the step goes, mean over ranks
  Bytes memory;                          // of the fullest rank
  Bytes capacity;                        // of a GPU; 0: not known, and everything fits
  Joules energy;                         // of a step; 0: not known
  std::optional<Dollars> money;          // of a step on a machine that is owned; none: not known
  std::optional<StepInterval> interval;  // in which nine of ten such steps lie; none: not known
};

inline bool fits(const Evaluated& evaluated) {
  return evaluated.capacity.value <= 0 || evaluated.memory <= evaluated.capacity;
}

// Asked of the chosen plan alone.
struct StepDetail {
  std::vector<Bytes> carried;              // by each link of the machine; empty: not known
  std::vector<std::int32_t> kind_of_rank;  // ranks of one number do the same; empty: all do
  std::vector<PathShare> path;             // of the critical path; empty: not known
};

// All are called from several threads at once. Errors say what does not fit, in a line.
struct Evaluator {
  std::function<Result<Evaluated>(const Plan&, const Machine&)> step;
  std::function<Result<StepDetail>(const Plan&, const Machine&)> detail;
  // What the fullest rank needs, without the step: asked of many plans.
  std::function<Result<Bytes>(const Plan&, const Machine&)> memory;
};

// The step of a plan that could be run; otherwise why it could not.
struct Outcome {
  std::optional<Seconds> step;
  std::string why_not;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const Result<Evaluated>& evaluated);

// "needs 91.20 of 80.00 GiB".
std::string too_large_text(Bytes needed, Bytes capacity);

}  // namespace quintet
