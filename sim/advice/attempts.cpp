#include "sim/advice/attempts.h"

#include <algorithm>

#include "sim/base/parallel.h"

namespace quintet {

std::vector<Outcome> outcomes(const std::vector<Plan>& plans, const Machine& machine,
                              const Evaluator& evaluator, const Effort& effort) {
  std::vector<std::size_t> different;  // the first of each
  std::vector<std::size_t> as;         // per plan, which of those
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto found = std::find_if(different.begin(), different.end(),
                                    [&](std::size_t other) { return plans[other] == plans[i]; });
    as.push_back(static_cast<std::size_t>(found - different.begin()));
    if (found == different.end()) different.push_back(i);
  }
  std::vector<Outcome> found(different.size());
  for_each_index(
      different.size(), effort.threads,
      [&](std::size_t i) { found[i] = outcome_of(evaluator.step(plans[different[i]], machine)); },
      effort.progress);
  std::vector<Outcome> all;
  for (const std::size_t i : as) all.push_back(found[i]);
  return all;
}

std::vector<Result<Evaluated>> evaluations(const std::vector<Attempt>& attempts,
                                           const Evaluator& evaluator, const Effort& effort) {
  std::vector<Result<Evaluated>> all(attempts.size(), Error{});
  for_each_index(
      attempts.size(), effort.threads,
      [&](std::size_t i) {
        const Result<Machine> machine = attempts[i].machine();
        all[i] = machine ? evaluator.step(attempts[i].plan, *machine)
                         : Result<Evaluated>(machine.error());
      },
      effort.progress);
  return all;
}

}  // namespace quintet
