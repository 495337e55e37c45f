#include "sim/search/analytic_evaluator.h"

#include "sim/analytic/analytic_model.h"
#include "sim/search/walked_evaluator.h"
#include "sim/simulate/plan_between.h"
#include "sim/training_run/periodic_step.h"

namespace quintet {
namespace {

class AnalyticEvaluator final : public CandidateEvaluator {
 public:
  AnalyticEvaluator(const Model& model, const SearchMachine& machine)
      : model_(model),
        machine_(machine),
        analytic_(model, machine.topology, machine.costs, machine.compile),
        ways_(machine.topology) {}

  Seconds bound(const Plan& plan) override {
    return mean_of(plan, [&](const Plan& step) { return analytic_.bound(step); });
  }
  Seconds floor(const Plan& plan) override {
    return mean_of(plan, [&](const Plan& step) { return analytic_.floor(step); });
  }

  MemoryNeed memory(const Plan& plan) override {
    const AnalyticMemory memory = analytic_.memory(plan);
    return {memory.memory, memory.capacity};
  }

  Result<StepEstimate> estimate(const Plan& plan) override {
    Result<StepEstimate> with = estimate_alone(plan);
    const auto between = plan_between(plan);
    if (!with || !between) return with;
    const Result<StepEstimate> without = estimate_alone(*between);
    if (!without) return without;
    const int every = plan.parallelism.replicator.every;
    with->step = periodic_step(every, with->step, without->step).mean;
    with->compute = periodic_step(every, with->compute, without->compute).mean;
    return with;
  }

  Result<StepEstimate> simulate(const Plan& plan) override {
    return walked(model_, plan, machine_, ways_);
  }

 private:
  // Where steps differ, the mean of two bounds bounds the mean.
  template <class Bound>
  static Seconds mean_of(const Plan& plan, const Bound& bound) {
    const auto between = plan_between(plan);
    if (!between) return bound(plan);
    return periodic_step(plan.parallelism.replicator.every, bound(plan), bound(*between)).mean;
  }

  Result<StepEstimate> estimate_alone(const Plan& plan) {
    const Result<AnalyticStep> step = analytic_.step(plan);
    if (!step) return step.error();
    return StepEstimate{step->step, step->compute, step->memory, step->capacity};
  }

  const Model& model_;
  const SearchMachine& machine_;
  AnalyticModel analytic_;
  KnownWays ways_;
};

}  // namespace

std::unique_ptr<CandidateEvaluator> AnalyticEvaluators::make(const Model& model,
                                                             const SearchMachine& machine) const {
  return std::make_unique<AnalyticEvaluator>(model, machine);
}

}  // namespace quintet
