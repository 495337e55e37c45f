#include "sim/command/plans/plan_replicator.h"

#include <fmt/format.h>

#include "sim/answer/answer.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/plan/problems/problems.h"
#include "sim/simulate/predict.h"

namespace quintet {

namespace {

Plan plan_with(Plan plan, const LossCurve& curve) {
  plan.parallelism.replicator = curve.replicator;
  plan.parallelism.optimizer = curve.optimizer;
  plan.parallelism.clipping = curve.clipping;
  return plan;
}

Result<Seconds> predicted_step(const Inputs& inputs, const Plan& plan) {
  PredictOptions options;
  options.compile = inputs.compile;
  const Result<Prediction> made =
      predict(inputs.model, plan, inputs.topology, inputs.costs, options);
  if (!made) return made.error();
  return made->summary.step;
}

Result<Seconds> mean_step(const Inputs& inputs, Plan plan) {
  const Result<Seconds> with = predicted_step(inputs, plan);
  Replicator& replicator = plan.parallelism.replicator;
  if (!with || replicator.every == 1) return with;
  const int every = replicator.every;
  replicator.kind = ReplicatorKind::none;
  replicator.every = 1;
  const Result<Seconds> between = predicted_step(inputs, plan);
  if (!between) return between;
  return periodic_step(every, *with, *between).mean;
}

std::string replicator_text(const LossCurve& curve) {
  const Replicator& replicator = curve.replicator;
  std::string text(name_of(replicator.kind));
  if (replicator.kind == ReplicatorKind::demo)
    text += fmt::format(", {} of chunks of {}", replicator.top_k, replicator.chunk);
  if (replicator.kind == ReplicatorKind::random || replicator.kind == ReplicatorKind::striding)
    text += fmt::format(", rate {:.4g}", replicator.rate);
  if (replicator.every > 1) text += fmt::format(", every {} steps", replicator.every);
  return text + ", " + std::string(name_of(curve.optimizer));
}

}  // namespace

Result<ReplicatorChoice> choose_replicator(const Inputs& inputs, const Plan& plan,
                                           LossCurves curves, double within) {
  ReplicatorChoice choice;
  std::vector<std::optional<Seconds>> steps;
  for (const LossCurve& curve : curves.curves) {
    const Plan one = plan_with(plan, curve);
    const std::vector<Problem> wrong = problems(one, inputs.model, inputs.topology);
    choice.refused.push_back(wrong.empty()
                                 ? std::string()
                                 : fmt::format("{}: {}; {}", wrong.front().field,
                                               wrong.front().reason, wrong.front().remedy));
    if (!wrong.empty()) {
      steps.push_back(std::nullopt);
      continue;
    }
    const Result<Seconds> step = mean_step(inputs, one);
    if (!step) return step.error();
    steps.push_back(*step);
  }
  choice.loss = target_loss(curves, within);
  choice.rows = rated(curves, steps, choice.loss);
  choice.curves = std::move(curves);
  return choice;
}

std::optional<Plan> chosen_plan(const Plan& plan, const ReplicatorChoice& choice) {
  const RatedReplicator& best = choice.rows.front();
  if (!best.time) return std::nullopt;
  return plan_with(plan, choice.curves.curves[static_cast<std::size_t>(best.curve)]);
}

std::string choice_text(const ReplicatorChoice& choice) {
  std::vector<TextRow> table{{"curve", "replicator", "step", "steps", "time"}};
  for (const RatedReplicator& each : choice.rows) {
    const auto at = static_cast<std::size_t>(each.curve);
    const LossCurve& curve = choice.curves.curves[at];
    table.push_back({shown(curve.name, 40), replicator_text(curve),
                     each.step ? fmt::format("{:.2f} ms", 1e3 * each.step->value) : "-",
                     each.steps ? fmt::format("{:.0f}", *each.steps) : "not reached",
                     each.time ? fmt::format("{:.4g} s", each.time->value) : "-"});
  }
  std::string text = fmt::format("To a loss of {:.4f}, by curves of {}:\n", choice.loss,
                                 shown(choice.curves.name, 100)) +
                     aligned(table);
  for (std::size_t at = 0; at < choice.refused.size(); ++at)
    if (!choice.refused[at].empty())
      text += fmt::format("{}: {}\n", shown(choice.curves.curves[at].name, 40), choice.refused[at]);
  return text;
}

}  // namespace quintet
