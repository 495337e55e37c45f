#include "gui/scenario/outcome.h"

#include <fmt/format.h>

#include <chrono>

#include "gui/scenario/scenario_command.h"
#include "sim/base/progress_line.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/report_header.h"

namespace quintet::gui {

namespace {

std::optional<Error> several_values(const InputNames& names) {
  if (names.asked.size() == 1) return std::nullopt;
  return Error{"settings",
               "a field has a list of values; one prediction takes one, and the sweep "
               "page compares several"};
}

Result<NamedPrediction> predicted(const Inputs& inputs, const PublishedResiduals& residuals,
                                  const std::function<void(double)>& progress) {
  PredictOptions options;
  options.progress = progress;
  options.traffic = true;
  ProgressLine line(ProgressShown::never);
  const AnswerContext context{inputs.topology, inputs.costs, inputs.stack, residuals, {}};
  const bool assumptions = false, quiet = true;
  const Asked asked{options, assumptions, quiet, inputs, context, line};
  return predict_plan(asked, inputs.plans.front());
}

}  // namespace

Result<Outcome> outcome_of(const Scenario& scenario, const std::function<void(double)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const Result<InputNames> names = input_names(scenario);
  if (!names) return names.error();
  if (const auto error = several_values(*names)) return *error;
  Result<std::vector<Inputs>> inputs = read_inputs(*names);
  if (!inputs) return inputs.error();
  if (progress) progress(0.0);
  Outcome outcome{scenario, std::move(inputs->front()), {}, {}, {}};
  outcome.report = report_header(outcome.inputs);
  if (!outcome.inputs.refused.empty()) {
    outcome.refused = outcome.inputs.refused.front();
    if (outcome.refused->problems.empty()) return outcome.refused->error;
  } else {
    const Result<PublishedResiduals> residuals = shipped_residuals();
    if (!residuals) return residuals.error();
    outcome.report.residuals = residuals->source;
    Result<NamedPrediction> prediction = predicted(outcome.inputs, *residuals, progress);
    if (!prediction) return prediction.error();
    outcome.report.plans.push_back(std::move(*prediction));
  }
  outcome.took =
      Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  return outcome;
}

std::string step_text(const Outcome& outcome) {
  if (!outcome.predicted()) return "does not fit";
  return fmt::format("{:.1f} ms", outcome.prediction().summary.step.value * 1e3);
}

}  // namespace quintet::gui
