#include "sim/plan/problems/problem_finders.h"

namespace quintet {

void find_run_problems(const WholeRun& run, Problems& found) {
  const Evaluation& evaluation = run.evaluation;
  if (evaluation.every > 0 && evaluation.samples == 0)
    found.push_back({"run.evaluation.samples", "an evaluation of no samples",
                     "give the samples of one evaluation, or leave every out"});
  if (evaluation.every == 0 && evaluation.samples > 0)
    found.push_back({"run.evaluation.every", "evaluations never happen",
                     "give the samples between two evaluations, or leave samples out"});
  const Checkpoints& checkpoints = run.checkpoints;
  if (checkpoints.every > 0 && checkpoints.rate <= Bandwidth{})
    found.push_back({"run.checkpoints.rate", "nothing says how fast checkpoints are written",
                     "give the storage's rate, for example \"10 GB/s\", or leave every out"});
  if (checkpoints.every == 0 && (checkpoints.rate > Bandwidth{} || checkpoints.size > Bytes{}))
    found.push_back({"run.checkpoints.every", "checkpoints are never written",
                     "give the steps between two, or leave rate and size out"});
}

}  // namespace quintet
