// Many plans on many machines, each evaluated once, on several threads.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/advice/evaluation.h"

namespace quintet {

// How the work is done; results hang on neither.
struct Effort {
  int threads = 1;
  std::function<void(double share)> progress{};  // of the part that is being worked on
};

// One per plan, in their order. Equal plans are evaluated once.
std::vector<Outcome> outcomes(const std::vector<Plan>& plans, const Machine& machine,
                              const Evaluator& evaluator, const Effort& effort);

// A machine that is made where it is needed, since several at once may not fit in memory; the error
// says why there is none.
using MachineMaker = std::function<Result<Machine>()>;

struct Attempt {
  Plan plan;
  MachineMaker machine;
};

// One per attempt, in their order.
std::vector<Result<Evaluated>> evaluations(const std::vector<Attempt>& attempts,
                                           const Evaluator& evaluator, const Effort& effort);

}  // namespace quintet
