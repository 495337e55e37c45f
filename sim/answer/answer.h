// What a user asked of one plan: how long a step takes, how sure that is and on what it rests,
// whether it fits, and what a whole run takes. Numbers that cannot be are not in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/confidence/memory_fit.h"
#include "sim/confidence/provenance.h"
#include "sim/confidence/residuals.h"
#include "sim/confidence/step_interval.h"
#include "sim/cost/cost_table.h"
#include "sim/explain/summary.h"
#include "sim/money/bill.h"
#include "sim/plan/plan.h"
#include "sim/simulate/predict.h"
#include "sim/topology/topology.h"
#include "sim/training_run/periodic_step.h"
#include "sim/training_run/training_run.h"

namespace quintet {

// What a step would take under another assumption.
struct AssumptionEffect {
  std::string assumption;  // "routing ecmp in place of rail-pinned"
  double change = 0;       // of the step, as a share of it
  bool operator==(const AssumptionEffect&) const = default;
};

struct Answer {
  std::string name, file;
  Parallelism parallelism;
  int ranks = 1, hosts = 1;
  std::string device;               // "H100-SXM-80GB", "CPU"
  std::vector<std::string> faults;  // of the machine (Topology::faults)
  std::int64_t tokens_per_step = 0;
  StepSummary summary;  // where steps differ (periodic), all but the step is of their mean
  std::optional<StepInterval> interval;  // none: nothing is known of errors
  std::optional<PeriodicStep> periodic;  // none: all steps are alike
  MemoryFit fit = MemoryFit::not_known;
  std::string fit_text;  // with the margin; empty: not known
  Bytes memory_needed, memory_capacity;
  Provenance basis;
  std::optional<TrainingRun> run;
  std::optional<Money> money;
  std::optional<LoadBalanceFigures> load_balance;  // none: samples have one length
  std::vector<AssumptionEffect> assumptions;       // what moves the step most first
  std::vector<std::string> remarks;                // numbers left out, and why
};

struct AnswerContext {
  const Topology& topology;
  const CostTable& costs;
  std::string stack;  // empty: none was named
  PublishedResiduals published;
  std::optional<RunLength> run;  // none: not asked for
  std::optional<Bill> bill{};    // none: money was not asked for, or is not known
};

Answer answer_of(const Plan& plan, const std::string& file, const Prediction& prediction,
                 const AnswerContext& context);

// What one of many steps takes, and its interval.
Seconds mean_step(const Answer& answer);
std::optional<StepInterval> mean_interval(const Answer& answer);

// Positions in the order in which plans are to be compared: those that fit, those of which it is
// not known, those too close to tell, then those that do not fit; `by_step`: of each kind the
// fastest first, otherwise as given.
std::vector<std::size_t> order_of(std::span<const Answer> answers, bool by_step);
// From 1, in that order, the fastest of each kind first; none: it does not fit.
std::vector<std::optional<int>> places(std::span<const Answer> answers);

// "TP 8 x PP 4 x DP 32"; "1 rank".
std::string layout_text(const Parallelism& parallelism);
// "1f1b, optimizer sharded, full recomputation, unfused attention, fp8": what is not as usual.
std::string method_text(const Parallelism& parallelism);

}  // namespace quintet
