#include "sim/command/plans/plan_adaptation.h"

#include <fmt/format.h>

#include <cassert>

#include "sim/base/text_table.h"
#include "sim/simulate/adapted_step.h"
#include "sim/simulate/predict.h"

namespace quintet {

namespace {

Result<Timeline> timeline_of(const Inputs& inputs) {
  const Plan& plan = inputs.plans.front().plan;
  const Result<Program> program =
      checked_program(inputs.model, plan, inputs.topology, inputs.costs, inputs.compile);
  if (!program) return program.error();
  Result<Execution> step = simulate(*program, plan, inputs.topology, inputs.costs);
  if (!step) return step.error();
  return std::move(step->timeline);
}

std::string milliseconds(Seconds time) {
  return fmt::format("{:.1f} ms", 1e3 * time.value);
}

}  // namespace

Result<PlanAdaptation> plan_adaptation(const Inputs& before, const Inputs& now) {
  const Plan& plan = now.plans.front().plan;
  const int stages = plan.parallelism.pipeline;
  if (auto wrong = not_adaptable(plan)) return *wrong;
  const Result<Timeline> well = timeline_of(before), late = timeline_of(now);
  if (!well) return well.error();
  if (!late) return late.error();
  PipelineState state = pipeline_state(*late, stages);
  const AdaptRules rules{.watch = {.steps = 1}, .candidates = limits_of(plan, now.topology)};
  const SentBy by = sent_by(plan);
  const LinkWatch watch = observed(watch_of(pipeline_state(*well, stages).messages, by),
                                   state.messages, by, rules.watch);
  PlanAdaptation made{seconds(well->end), seconds(late->end), delays(watch), {}};
  state = with_delays(std::move(state), watch, by);
  made.best = best_plan(state, plan, plan,
                        known_step(now.model, now.topology, now.costs, now.compile), rules);
  assert(made.best.tried.empty() || made.best.tried.front().name != as_planned ||
         made.best.tried.front().step == made.late);
  return made;
}

std::string adaptation_text(const PlanAdaptation& adaptation) {
  std::string text = fmt::format("a step of the plan: {} when all is well, {} now\n",
                                 milliseconds(adaptation.well), milliseconds(adaptation.late));
  for (std::size_t link = 0; link < adaptation.delays.size(); ++link)
    if (adaptation.delays[link] > Seconds{})
      text += fmt::format("messages between stages {} and {} are {} late\n", link, link + 1,
                          milliseconds(adaptation.delays[link]));
  std::vector<TextRow> table{{"candidate", "step", ""}};
  for (const Tried& each : adaptation.best.tried)
    table.push_back(
        {each.name, milliseconds(each.step), each.name == adaptation.best.name ? "taken" : ""});
  return text + aligned(table);
}

}  // namespace quintet
