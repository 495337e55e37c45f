#include "sim/search/walked_evaluator.h"

#include "sim/training_run/periodic_step.h"

namespace quintet {
namespace {

class WalkedEvaluator final : public CandidateEvaluator {
 public:
  WalkedEvaluator(const Model& model, const SearchMachine& machine)
      : model_(model), machine_(machine), ways_(machine.topology) {}

  Seconds bound(const Plan&) override { return {}; }
  Seconds floor(const Plan&) override { return {}; }

  // What cannot be told fits: its step says why.
  MemoryNeed memory(const Plan& plan) override {
    const Result<MemoryReport> report =
        predict_memory(model_, plan, machine_.topology, machine_.costs, machine_.compile);
    if (!report || report->ranks.empty()) return {};
    return {total(*fullest(*report)), report->capacity};
  }

  Result<StepEstimate> estimate(const Plan& plan) override { return simulate(plan); }

  Result<StepEstimate> simulate(const Plan& plan) override {
    return walked(model_, plan, machine_, ways_);
  }

 private:
  const Model& model_;
  const SearchMachine& machine_;
  KnownWays ways_;
};

}  // namespace

// A pinned way is a few links; one that is spread over thousands of them is found again each time.
Result<StepEstimate> walked(const Model& model, const Plan& plan, const SearchMachine& machine,
                            KnownWays& ways) {
  PredictOptions options;
  options.compile = machine.compile;
  options.shown = ShownTimeline::without_repetition;
  options.interval = false;
  options.threads = 1;  // others are made beside it
  if (plan.network.routing == Routing::rail_pinned) options.ways = &ways;
  const Result<Prediction> prediction =
      predict(model, plan, machine.topology, machine.costs, options);
  if (!prediction) return prediction.error();
  StepEstimate estimate{
      prediction->summary.step, seconds(prediction->mean.compute), {}, prediction->memory.capacity};
  if (const auto most = fullest(prediction->memory)) estimate.memory = total(*most);
  if (prediction->between) {
    const int every = plan.parallelism.replicator.every;
    const StepSummary& between = *prediction->between;
    estimate.step = periodic_step(every, estimate.step, between.step).mean;
    estimate.compute =
        periodic_step(every, estimate.compute, between.compute_share * between.step).mean;
  }
  return estimate;
}

std::unique_ptr<CandidateEvaluator> WalkedEvaluators::make(const Model& model,
                                                           const SearchMachine& machine) const {
  return std::make_unique<WalkedEvaluator>(model, machine);
}

}  // namespace quintet
