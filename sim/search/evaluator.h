// What a search asks of a plan. Behind it stand the `analytic` fidelity and the walk of the
// Program (predict.h).
#pragma once

#include <memory>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/search/candidates.h"

namespace quintet {

struct StepEstimate {
  Seconds step;            // of one of many steps: the mean, where they differ (periodic_step.h)
  Seconds compute;         // mean over ranks, of that step
  Bytes memory, capacity;  // of the rank that needs most; capacity 0: not known
  bool operator==(const StepEstimate&) const = default;
};

// Of the rank that needs most; capacity 0: not known.
struct MemoryNeed {
  Bytes memory, capacity;
};
// With this share of the capacity left free.
inline bool fits(const MemoryNeed& need, double headroom) {
  return need.capacity.value <= 0 || need.memory <= (1 - headroom) * need.capacity;
}

// Of plans without problems() on one machine, for one thread. Answers do not depend on what was
// asked before.
class CandidateEvaluator {
 public:
  virtual ~CandidateEvaluator() = default;
  // Never above what estimate() and simulate() say the step takes.
  virtual Seconds bound(const Plan& plan) = 0;
  // Never above bound() of any plan that decides alike in layer 1 and host_net.launch.
  virtual Seconds floor(const Plan& plan) = 0;
  // What it needs of memory: the same at every fidelity, and for all plans that decide alike in
  // layer 1 and ccl.bucket.
  virtual MemoryNeed memory(const Plan& plan) = 0;
  // The cheap fidelity. Fails where it does not cover the plan: then simulate() does.
  virtual Result<StepEstimate> estimate(const Plan& plan) = 0;
  // The fluid fidelity. Fails where the costs do not cover the plan.
  virtual Result<StepEstimate> simulate(const Plan& plan) = 0;
};

class EvaluatorFactory {
 public:
  virtual ~EvaluatorFactory() = default;
  // What the machine refers to outlives what is made.
  virtual std::unique_ptr<CandidateEvaluator> make(const Model& model,
                                                   const SearchMachine& machine) const = 0;
};

// A thread's, of every machine that it has met.
class ThreadEvaluators {
 public:
  ThreadEvaluators(const Candidates& candidates, const EvaluatorFactory& factory)
      : candidates_(candidates), factory_(factory), made_(candidates.machines().size()) {}
  CandidateEvaluator& of(std::size_t machine) {
    std::unique_ptr<CandidateEvaluator>& own = made_[machine];
    if (!own) own = factory_.make(candidates_.model(), candidates_.machines()[machine]);
    return *own;
  }

 private:
  const Candidates& candidates_;
  const EvaluatorFactory& factory_;
  std::vector<std::unique_ptr<CandidateEvaluator>> made_;
};

}  // namespace quintet
