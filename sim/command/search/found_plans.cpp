#include <fmt/format.h>

#include <optional>
#include <utility>

#include "sim/base/parallel.h"
#include "sim/command/plans/plan_advice.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/search/search_report.h"
#include "sim/plan/asked_plan.h"

namespace quintet {
namespace {

// By its place, so that files sort as the table does.
std::string plan_name(std::size_t place, const Plan& plan) {
  return fmt::format("{:02}-{}", place + 1, layout_name(plan.parallelism));
}

Result<FoundPlan> found_plan(const SearchQuestion& question, const SearchMachines& machines,
                             const PublishedResiduals& published, const Found& found,
                             std::size_t place) {
  const Result<Draft> draft = question.candidates.draft_of(found.number);
  if (!draft) return draft.error();
  const auto machine = static_cast<std::size_t>(question.candidates.machine_of(found.number));
  FoundPlan plan{found, draft->plan, machine, question.candidates.choices_of(found.number), {}, {}};
  plan.plan.name = plan_name(place, plan.plan);
  const Inputs& inputs = machines.inputs[machine];
  PredictOptions options;
  options.compile = inputs.compile;
  options.shown = ShownTimeline::without_repetition;
  const Result<Prediction> prediction =
      predict(inputs.model, plan.plan, inputs.topology, inputs.costs, options);
  if (!prediction) return Error{plan.plan.name, prediction.error().text()};
  const AnswerContext context{inputs.topology, inputs.costs,        inputs.stack,
                              published,       question.wanted.run, machines.bills[machine]};
  plan.answer = answer_of(plan.plan, plan.plan.name, *prediction, context);
  plan.worth =
      worth_of(worth_base(question, *draft, machine), found.estimate.step, found.estimate.compute);
  return plan;
}

}  // namespace

Result<std::vector<FoundPlan>> found_plans(const SearchQuestion& question,
                                           const SearchMachines& machines,
                                           const std::vector<Found>& found, int threads) {
  const Result<PublishedResiduals> published = shipped_residuals();
  if (!published) return published.error();
  std::vector<std::optional<Result<FoundPlan>>> made(found.size());
  for_each_index(found.size(), threads, [&](std::size_t i) {
    made[i] = found_plan(question, machines, *published, found[i], i);
  });
  std::vector<FoundPlan> plans;
  for (auto& each : made) {
    if (!*each) return each->error();
    plans.push_back(std::move(**each));
  }
  return plans;
}

Result<Advice> advice_on_found(const SearchArguments& arguments, const SearchMachines& machines,
                               const std::vector<FoundPlan>& plans) {
  const std::size_t machine = plans.front().machine;
  Inputs inputs = machines.inputs[machine];
  for (const FoundPlan& plan : plans)
    if (plan.machine == machine) inputs.plans.push_back({plan.plan.name, plan.plan});
  return advice_on({arguments.money.prices, {}, arguments.threads, false}, machines.asked[machine],
                   inputs);
}

}  // namespace quintet
