#include "sim/command/plans/plan_replicator.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/json/json_value.h"
#include "sim/plan/plan_difference.h"
#include "sim/plan/problems/problems.h"
#include "sim/simulate/predict.h"
#include "sim/training_run/periodic_step.h"

namespace quintet {

namespace {

Plan plan_with(Plan plan, const LossCurve& curve) {
  plan.parallelism.replicator = curve.replicator;
  plan.parallelism.optimizer = curve.optimizer;
  plan.parallelism.clipping = curve.clipping;
  return plan;
}

// Of many steps the mean.
Result<Seconds> predicted_step(const Inputs& inputs, const Plan& plan) {
  PredictOptions options;
  options.compile = inputs.compile;
  const Result<Prediction> made =
      predict(inputs.model, plan, inputs.topology, inputs.costs, options);
  if (!made) return made.error();
  if (!made->between) return made->summary.step;
  return periodic_step(plan.parallelism.replicator.every, made->summary.step, made->between->step)
      .mean;
}

// Words that a shell would take apart are quoted.
std::string quoted(const std::string& word) {
  const bool plain = word.find_first_of(" \"'*?[]{}()$&;|<>~#!\\") == std::string::npos;
  return plain ? word : "'" + word + "'";
}

std::string calibrate_text(const CalibrateLine& line, const Plan& candidate) {
  std::string text = fmt::format("quintet calibrate --model {} --topology {}", quoted(line.model),
                                 quoted(line.topology));
  for (const std::string& word : line.machine) text += " " + word;
  text += " --plan " + quoted(line.plan);
  for (const FieldDifference& each : differences(line.of_file, candidate)) {
    std::string value = each.other.empty() ? each.usual : each.other;
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    text += " --set " + quoted(each.path + "=" + value);
  }
  return text + " -o measured.json";
}

// Steps, batches and lengths of others say little of this plan's.
std::vector<std::string> different_training(const LossCurves& curves, const Inputs& inputs,
                                            const Plan& plan) {
  const Parallelism& parallelism = plan.parallelism;
  std::vector<std::string> remarks;
  if (curves.model.empty() && curves.global_batch == 0 && curves.sequence_length == 0)
    return {"the curves do not say of which model, global_batch and sequence_length they are"};
  if (!curves.model.empty() && curves.model != inputs.model.name)
    remarks.push_back(fmt::format("the curves are of the model {}, the plan trains {}",
                                  shown(curves.model, 60), shown(inputs.model.name, 60)));
  const auto differ = [&](const char* what, int theirs, std::int64_t ours) {
    if (theirs > 0 && theirs != ours)
      remarks.push_back(
          fmt::format("the curves are of a {} of {}, the plan has {}", what, theirs, ours));
  };
  differ("global batch", curves.global_batch, global_batch(parallelism));
  differ("sequence length", curves.sequence_length, parallelism.sequence_length);
  return remarks;
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

namespace {

// A candidate's step; else what its row says.
std::optional<Seconds> step_of(const Inputs& inputs, const Plan& one, const CalibrateLine& line,
                               ReplicatorChoice& choice) {
  choice.refused.emplace_back();
  choice.measure.emplace_back();
  const std::vector<Problem> wrong = problems(one, inputs.model, inputs.topology);
  if (!wrong.empty()) {
    choice.refused.back() =
        fmt::format("{}: {}; {}", wrong.front().field, wrong.front().reason, wrong.front().remedy);
    return std::nullopt;
  }
  const Result<Seconds> step = predicted_step(inputs, one);
  if (step) return *step;
  choice.refused.back() = step.error().text();
  if (inputs.topology.gpu_specs.empty()) choice.measure.back() = calibrate_text(line, one);
  return std::nullopt;
}

}  // namespace

Result<ReplicatorChoice> choose_replicator(const Inputs& inputs, const Plan& plan,
                                           LossCurves curves, double within,
                                           const CalibrateLine& calibrate) {
  ReplicatorChoice choice;
  std::vector<std::optional<Seconds>> steps;
  for (const LossCurve& curve : curves.curves)
    steps.push_back(step_of(inputs, plan_with(plan, curve), calibrate, choice));
  const bool none = std::none_of(steps.begin(), steps.end(), [](const auto& step) { return step; });
  if (none)
    return Error{
        inputs.costs_file,
        fmt::format("no candidate can be predicted; the first, {}: {}{}",
                    shown(curves.curves.front().name, 40), choice.refused.front(),
                    choice.measure.front().empty() ? "" : "\n  " + choice.measure.front())};
  choice.remarks = different_training(curves, inputs, plan);
  choice.remarks.insert(choice.remarks.end(), inputs.remarks.begin(), inputs.remarks.end());
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
      text +=
          fmt::format("{}: {}\n{}", shown(choice.curves.curves[at].name, 40), choice.refused[at],
                      choice.measure[at].empty() ? "" : "  " + choice.measure[at] + "\n");
  return text;
}

std::string choice_json(const ReplicatorChoice& choice) {
  const auto known = [](const auto& number) {
    return number ? JsonValue(*number) : JsonValue(nullptr);
  };
  const auto said = [](const std::string& text) {
    return text.empty() ? JsonValue(nullptr) : JsonValue(text);
  };
  const auto seconds_of = [](const std::optional<Seconds>& time) {
    return time ? JsonValue(time->value) : JsonValue(nullptr);
  };
  JsonValue rows = JsonValue::array();
  for (const RatedReplicator& each : choice.rows) {
    const auto at = static_cast<std::size_t>(each.curve);
    const LossCurve& curve = choice.curves.curves[at];
    rows.push_back({{"curve", curve.name},
                    {"replicator", replicator_text(curve)},
                    {"step_s", seconds_of(each.step)},
                    {"steps", known(each.steps)},
                    {"time_s", seconds_of(each.time)},
                    {"why_not", said(choice.refused[at])},
                    {"measure", said(choice.measure[at])}});
  }
  return JsonValue{{"schema_version", 1},
                   {"loss", choice.loss},
                   {"curves", choice.curves.name},
                   {"remarks", choice.remarks},
                   {"rows", rows}}
             .dump(2) +
         "\n";
}

}  // namespace quintet
