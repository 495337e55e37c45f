// Plans judged by the analytic fidelity (sim/analytic), and by the walk where that is asked for.
#pragma once

#include "sim/search/evaluator.h"

namespace quintet {

class AnalyticEvaluators final : public EvaluatorFactory {
 public:
  std::unique_ptr<CandidateEvaluator> make(const Model& model,
                                           const SearchMachine& machine) const override;
};

}  // namespace quintet
