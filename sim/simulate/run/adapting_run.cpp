#include "sim/simulate/run/adapting_run.h"

#include <utility>

#include "sim/simulate/adapted_step.h"

namespace quintet {

namespace {

// What the controller knows from step to step.
class Adapting {
 public:
  Adapting(const FaultedJob& job, const CompileOptions& compile, LinkWatch watch)
      : home_(job.plan),
        running_(job.plan),
        predict_(simulated_step(job.model, job.topology, job.costs, compile)),
        believed_{std::move(watch)} {
    rules_.candidates = limits_of(job.plan, job.topology);
  }

  std::optional<Plan> operator()(const FinishedStep& step) {
    Adaptation next = adapted(believed_, step.timeline, home_, running_, predict_, rules_);
    believed_ = std::move(next.believed);
    if (!next.changed) return std::nullopt;
    running_ = next.plan;
    if (next.back)
      next.plan.name = home_.name + " (" + next.name + ", back from " + next.back->from + ")";
    else if (!(next.plan == home_))
      next.plan.name = home_.name + " (" + next.name + ")";
    return std::move(next.plan);
  }

 private:
  Plan home_, running_;
  PredictStep predict_;
  Believed believed_;
  AdaptRules rules_;
};

}  // namespace

Result<NextPlan> adapting(const FaultedJob& job, const PredictOptions& options) {
  const int stages = job.plan.parallelism.pipeline;
  if (auto wrong = not_adaptable(job.plan)) return *wrong;
  const Result<Program> program =
      checked_program(job.model, job.plan, job.topology, job.costs, options.compile);
  if (!program) return program.error();
  const Result<Execution> usual = simulate(*program, job.plan, job.topology, job.costs, options);
  if (!usual) return usual.error();
  return NextPlan(
      Adapting(job, options.compile,
               watch_of(pipeline_state(usual->timeline, stages).messages, sent_by(job.plan))));
}

}  // namespace quintet
