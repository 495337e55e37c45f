// Plans judged by the walk of the Program alone: exact at fluid, and slow.
#pragma once

#include "sim/price/ways.h"
#include "sim/search/evaluator.h"
#include "sim/simulate/predict.h"

namespace quintet {

// A step of many, by predict(); how it ends is that of StepEstimate. `ways`: of the machine's
// topology, from one plan to the next.
Result<StepEstimate> walked(const Model& model, const Plan& plan, const SearchMachine& machine,
                            KnownWays& ways);

class WalkedEvaluators final : public EvaluatorFactory {
 public:
  std::unique_ptr<CandidateEvaluator> make(const Model& model,
                                           const SearchMachine& machine) const override;
};

}  // namespace quintet
